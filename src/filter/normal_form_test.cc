// SPDX-License-Identifier: Apache-2.0
#include "filter/normal_form.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "filter/filter_testing.h"
#include "filter/print.h"
#include "filter/weir_parser.h"

namespace weir::filter {
namespace {

using base::ErrorId;

ExprPtr expr_of(std::string_view text) {
  auto parsed = parse_weir(text);
  EXPECT_TRUE(parsed.has_value()) << text;
  return parsed->expr;
}

NormalForm form_of(const ExprPtr& expr) {
  auto form = normalize(expr);
  EXPECT_TRUE(form.has_value()) << to_text(*expr);
  return std::move(*form);
}

std::string normal_text(const ExprPtr& expr) { return to_text(*to_expr(form_of(expr))); }
std::string normal_text(std::string_view text) { return normal_text(expr_of(text)); }

ExprPtr change_of(std::string_view text) { return filter_of(text)->expr(); }

// (a0 = 1 or b0 = 1) and (a1 = 1 or b1 = 1) and ...: 2^n conjunctions of n terms.
std::string product_of_pairs(int n) {
  std::string text;
  for (int i = 0; i < n; ++i) {
    text += fmt::format("{}(a{} = 1 or b{} = 1)", i == 0 ? "" : " and ", i, i);
  }
  return text;
}

TEST(NormalFormTest, IsAnOrOfAnds) {
  const NormalForm form = form_of(expr_of("(a = 1 or b = 2) and not c = 3"));
  ASSERT_EQ(form.conjunctions.size(), 2U);
  for (const Conjunction& conjunction : form.conjunctions) {
    ASSERT_EQ(conjunction.terms.size(), 2U);
    EXPECT_FALSE(conjunction.terms[0].negated);
    EXPECT_TRUE(conjunction.terms[1].negated);
    EXPECT_NE(conjunction.terms[1].predicate->predicate(), nullptr);
  }
  EXPECT_EQ(to_text(*form.conjunctions[0].terms[0].predicate), "a = 1");
  EXPECT_EQ(to_text(*form.conjunctions[1].terms[0].predicate), "b = 2");
}

TEST(NormalFormTest, ConstantsDisappear) {
  EXPECT_TRUE(form_of(expr_of("false")).conjunctions.empty());
  EXPECT_TRUE(form_of(expr_of("a = 1 and false")).conjunctions.empty());
  const NormalForm always = form_of(expr_of("a = 1 or true"));
  ASSERT_EQ(always.conjunctions.size(), 1U);
  EXPECT_TRUE(always.conjunctions[0].terms.empty());
  EXPECT_EQ(to_text(*to_expr(always)), "true");
  EXPECT_EQ(to_text(*to_expr(NormalForm{})), "false");
}

TEST(NormalFormTest, PushesNegationsIntoTheTermsAndLeavesThemThere) {
  EXPECT_EQ(normal_text("not (a = 1 or b = 2)"), "not a = 1 and not b = 2");
  EXPECT_EQ(normal_text("not (a = 1 and b = 2)"), "not a = 1 or not b = 2");
  EXPECT_EQ(normal_text("not not (a = 1 and not not b = 2)"), "a = 1 and b = 2");
  EXPECT_EQ(normal_text("not (a = 1 and not (b = 2 or not c = 3))"),
            "not a = 1 or b = 2 or not c = 3");
  EXPECT_EQ(normal_text("not a > 5"), "not a > 5");
  EXPECT_EQ(normal_text("not a in (1, 2)"), "not a in (1, 2)");
}

TEST(NormalFormTest, KeepsEqualTermsOnce) {
  EXPECT_EQ(normal_text("b = 2 and a = 1 and b = 2 and (a = 1)"), "b = 2 and a = 1");
  // Equal means written alike: values are not reasoned about.
  EXPECT_EQ(normal_text("a = 1 and a in (1)"), "a = 1 and a in (1)");
  EXPECT_EQ(normal_text("a > 5 and a > 6"), "a > 5 and a > 6");
}

TEST(NormalFormTest, SharesOnePredicateBetweenConjunctions) {
  const NormalForm form = form_of(expr_of("a = 1 and (b = 2 or c = 3)"));
  ASSERT_EQ(form.conjunctions.size(), 2U);
  EXPECT_EQ(form.conjunctions[0].terms[0].predicate, form.conjunctions[1].terms[0].predicate);
}

TEST(NormalFormTest, DropsWhatContradictsItself) {
  EXPECT_EQ(normal_text("a = 1 and not a = 1"), "false");
  EXPECT_EQ(normal_text("a = 1 and b = 2 and not a = 1 or c = 3"), "c = 3");
  EXPECT_EQ(normal_text("(a = 1 or b = 2) and not a = 1"), "not a = 1 and b = 2");
}

TEST(NormalFormTest, DropsWhatAnotherConjunctionImplies) {
  EXPECT_EQ(normal_text("a = 1 and b = 2 or a = 1"), "a = 1");
  EXPECT_EQ(normal_text("a = 1 or a = 1 and b = 2"), "a = 1");
  EXPECT_EQ(normal_text("a = 1 and b = 2 or a = 1 and c = 3 or a = 1"), "a = 1");
  EXPECT_EQ(normal_text("a = 1 and b = 2 and c = 3 or c = 3 and a = 1"), "a = 1 and c = 3");
}

TEST(NormalFormTest, LeavesCesqlWhole) {
  EXPECT_EQ(normal_text("not cesql('a = 1 OR b = 2')"), "not cesql('a = 1 OR b = 2')");
  EXPECT_EQ(form_of(expr_of("cesql('a = 1 OR b = 2')")).conjunctions.size(), 1U);
}

TEST(NormalFormTest, KeepsChangeTermsApart) {
  const NormalForm form =
      form_of(expr_of("type = 'q' and (change(data.a) > 1 or change(data.b) > 2) or id = 'x'"));
  ASSERT_EQ(form.conjunctions.size(), 3U);
  EXPECT_EQ(form.conjunctions[0].terms.size(), 1U);
  ASSERT_EQ(form.conjunctions[0].changes.size(), 1U);
  EXPECT_EQ(to_text(*form.conjunctions[0].changes[0]), "change(data.a) > 1");
  EXPECT_TRUE(form.conjunctions[2].changes.empty());
}

TEST(NormalFormTest, NeverAbsorbsAConjunctionWithState) {
  EXPECT_EQ(normal_text("change(data.a) > 1 or change(data.a) > 1 and id = 'x'"),
            "change(data.a) > 1 or id = 'x' and change(data.a) > 1");
  EXPECT_EQ(normal_text("change(data.a) > 1 or change(data.a) > 1"), "change(data.a) > 1");
  EXPECT_EQ(normal_text("change(data.a) > 1 and id = 'x' and not id = 'x'"), "false");
}

TEST(NormalFormTest, RefusesChangeUnderNot) {
  const ExprPtr change = change_of("change(data.a, by id) > 1");
  const auto under_not = normalize(make_not(make_or({expr_of("a = 1"), change})));
  ASSERT_FALSE(under_not.has_value());
  EXPECT_EQ(under_not.error().id, ErrorId::kFilterChangePlace);
  EXPECT_EQ(under_not.error().message,
            "change cannot stand under not, since its state moves only when it is delivered: "
            "change(data.a, by id) > 1");
  EXPECT_EQ(normal_text(make_not(make_not(change))), "change(data.a, by id) > 1");
}

TEST(NormalFormTest, RefusesDifferentKeysInOneConjunction) {
  const ExprPtr by_id = change_of("change(data.a, by id) > 1");
  const ExprPtr by_source = change_of("change(data.a, by source) > 1");
  const ExprPtr by_both = change_of("change(data.a, by (id, source)) > 1");
  const auto refused = normalize(make_and({by_id, by_source}));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().id, ErrorId::kFilterChangeKeys);
  EXPECT_FALSE(normalize(make_and({by_id, by_both})).has_value());
  EXPECT_FALSE(normalize(make_and({by_id, change_of("change(data.a) > 1")})).has_value());
  EXPECT_TRUE(normalize(make_or({by_id, by_source})).has_value());
  EXPECT_TRUE(normalize(make_and({by_id, change_of("change(data.b, by id) > 1")})).has_value());
}

TEST(NormalFormTest, MeetsItsLimitsExactly) {
  const ExprPtr expr = expr_of(product_of_pairs(5));
  const auto size = [&](std::size_t conjunction_count_max, std::size_t term_count_max) {
    return normalize(
        expr, {.conjunction_count_max = conjunction_count_max, .term_count_max = term_count_max});
  };
  EXPECT_TRUE(size(32, 160).has_value());
  EXPECT_FALSE(size(31, 160).has_value());
  EXPECT_FALSE(size(32, 159).has_value());
  EXPECT_EQ(size(31, 160).error().id, ErrorId::kFilterNormalFormTooLarge);
}

TEST(NormalFormTest, TheDefaultLimitsAllowTheLargestFormTheyName) {
  EXPECT_EQ(form_of(expr_of(product_of_pairs(10))).conjunctions.size(), 1024U);
  EXPECT_FALSE(normalize(expr_of(product_of_pairs(11))).has_value());
}

// The form stays within the limits, but every one of its 1024 conjunctions meets every other at
// each step: without a bound on the work a filter of 8 KiB would take a minute.
TEST(NormalFormTest, GivesUpWhereAbsorptionHidesTooMuchWork) {
  const std::string factor = "(" + product_of_pairs(10) + " or false)";
  const auto refused = normalize(expr_of(factor + " and " + factor));
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().id, ErrorId::kFilterNormalFormTooLarge);
}

TEST(NormalFormTest, AListIsOneTermHoweverLong) {
  std::string list = "0";
  for (int i = 1; i < 1000; ++i) list += fmt::format(", {}", i);
  const NormalForm form = form_of(expr_of(fmt::format("a in ({})", list)));
  ASSERT_EQ(form.conjunctions.size(), 1U);
  EXPECT_EQ(form.conjunctions[0].terms.size(), 1U);
}

TEST(NormalFormTest, IsItsOwnNormalForm) {
  for (const std::string_view text :
       {"a = 1 and (b = 2 or not (c = 3 and d = 4))", "not (a = 1 or b = 2) or c = 3",
        "type = 'q' and (change(data.a) > 1 or b = 2)", "true", "false"}) {
    const std::string once = normal_text(text);
    EXPECT_EQ(normal_text(once), once);
  }
}

}  // namespace
}  // namespace weir::filter
