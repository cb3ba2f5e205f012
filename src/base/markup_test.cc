// SPDX-License-Identifier: Apache-2.0
#include "base/markup.h"

#include <gtest/gtest.h>

namespace weir::base {
namespace {

TEST(MarkupTest, TextStandsForItself) {
  std::string markup = "<b>";
  append_escaped("a < b && c > \"d\" 'e' \xC3\xA9", markup);
  EXPECT_EQ(markup, "<b>a &lt; b &amp;&amp; c &gt; &quot;d&quot; &#39;e&#39; \xC3\xA9");
}

}  // namespace
}  // namespace weir::base
