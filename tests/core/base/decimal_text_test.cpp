#include "core/base/decimal_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace headscope {
namespace {

const std::string kZeros(400, '0');

TEST(DecimalText, ANumberBelowOneIsOneWhateverItsSpelling) {
  const std::vector<std::string> numbers = {"0",       "-0.0",
                                            "0e999",   "0.9",
                                            "-1e-1",   "1e-999",
                                            "12.5E-3", "0." + kZeros + "1",
                                            ".5",      "1" + kZeros + "e-401",
                                            "99e-2",   "0.5e-99999999999999999999",
                                            "0.0001",  "-0." + kZeros + "1e400"};
  for (const std::string& number : numbers) EXPECT_TRUE(is_below_one(number)) << number;
}

TEST(DecimalText, ALargerOneIsNone) {
  const std::vector<std::string> numbers = {"1",       "-1.5",
                                            "0.1e1",   "0.1e999",
                                            "100e-2",  "10.5e999",
                                            "1e+0",    "1" + kZeros + "e-5",
                                            "5.",      "0." + kZeros + "1e401",
                                            "2e+9999", "0.5e99999999999999999999"};
  for (const std::string& number : numbers) EXPECT_FALSE(is_below_one(number)) << number;
}

}  // namespace
}  // namespace headscope
