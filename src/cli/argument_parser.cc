// SPDX-License-Identifier: Apache-2.0
#include "cli/argument_parser.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <string_view>
#include <utility>

#include "base/near_name.h"
#include "cli/option_values.h"

namespace weir::cli {
namespace {

class Formatter final : public CLI::Formatter {
 public:
  explicit Formatter(const CommandHelp& help) : help_(help) { column_width(28); }

  std::string make_usage(const CLI::App*, std::string) const override {
    return fmt::format("\nUsage: weir {}\n", help_.usage);
  }

 private:
  const CommandHelp& help_;
};

// A dash and a word; an expression such as -1 or -ABS(x) is none.
bool looks_like_option(std::string_view argument) {
  const std::string_view word = argument.substr(0, argument.find('='));
  const auto is_part = [](char c) {
    return c == '-' || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
  };
  return word.size() > 1 && word[0] == '-' && std::ranges::all_of(word, is_part);
}

base::Error unknown_option(const CLI::App& app, const std::string& argument) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options()) names.push_back(option->get_name());
  const std::vector<std::string_view> views(names.begin(), names.end());
  const std::string word = argument.substr(0, argument.find('='));
  std::string hint = base::did_you_mean(word, views);
  if (hint.empty()) hint = "; if it is an expression, write -- before it";
  return usage_error(fmt::format("unknown option '{}'{}", word, hint));
}

}  // namespace

// Positional arguments are not declared, since CLI11 takes one that stands in brackets, as a JSON
// array does, for a list of its own.
struct ArgumentParser::Impl {
  CLI::App app;
};

ArgumentParser::ArgumentParser(const CommandHelp& help) : impl_(std::make_unique<Impl>()) {
  CLI::App& app = impl_->app;
  app.description(std::string(help.description));
  app.formatter(std::make_shared<Formatter>(help));
  app.footer("Example:\n" + std::string(help.example));
  app.get_help_ptr()->description("Print this help and exit");
  app.allow_extras();
}

ArgumentParser::~ArgumentParser() = default;

void ArgumentParser::text(const std::string& name, std::string& value, const std::string& type,
                          const std::string& meaning) {
  impl_->app.add_option(name, value, meaning)->type_name(type);
}

void ArgumentParser::list(const std::string& name, Arguments& values, const std::string& type,
                          const std::string& meaning) {
  impl_->app.add_option(name, values, meaning)->type_name(type)->allow_extra_args(false);
}

void ArgumentParser::flag(const std::string& name, bool& value, const std::string& meaning) {
  impl_->app.add_flag(name, value, meaning);
}

void ArgumentParser::json(bool& value) { flag("--json", value, "Write JSON; errors too"); }

void ArgumentParser::dialect(std::string& value) {
  text("--dialect", value, "weir|cesql|json", "How filters are written; weir unless given");
}

void ArgumentParser::language(std::string& value) {
  text("--language", value, "LANGUAGE",
       "Of the text, as german, de or de-AT; english unless given");
}

void ArgumentParser::initial(std::string& value) {
  text("--initial", value, "deliver|none",
       "What change does with a first value; deliver unless given");
}

base::Result<std::variant<Arguments, PrintOptions>> ArgumentParser::parse(
    const Arguments& arguments) {
  const auto marker = std::ranges::find(arguments, "--");
  Arguments reversed(arguments.begin(), marker);
  std::ranges::reverse(reversed);
  try {
    impl_->app.parse(std::move(reversed));
  } catch (const CLI::CallForHelp&) {
    return PrintOptions{impl_->app.help()};
  } catch (const CLI::ParseError& error) {
    return usage_error(error.what());
  }
  Arguments positionals = impl_->app.remaining();
  for (const std::string& argument : positionals) {
    if (looks_like_option(argument)) return unknown_option(impl_->app, argument);
  }
  if (marker != arguments.end()) {
    positionals.insert(positionals.end(), std::next(marker), arguments.end());
  }
  return positionals;
}

}  // namespace weir::cli
