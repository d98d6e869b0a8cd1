// What a report of a problem needs.
#include <nlohmann/json.hpp>

#include "core/base/version.h"
#include "tests/app/cli/command.h"

namespace headscope {
namespace {

TEST(Doctor, SaysTheSameAsTextAndAsJson) {
  const Result text = run_cli({"doctor"}), as_json = run_cli({"doctor", "--json"});
  ASSERT_EQ(text.code, 0) << text.err;
  ASSERT_EQ(as_json.code, 0) << as_json.err;
  const nlohmann::json json = nlohmann::json::parse(as_json.out);
  for (const char* key :
       {"version", "system", "processor", "simd", "memory", "opengl", "fonts", "settings", "sessions", "last_crash"}) {
    ASSERT_TRUE(json.contains(key)) << key;
    EXPECT_NE(json.at(key).get<std::string>(), "") << key;
  }
  EXPECT_NE(json.at("version").get<std::string>().find(kVersion), std::string::npos);
  EXPECT_NE(text.out.find("Version: " + json.at("version").get<std::string>()), std::string::npos) << text.out;
  EXPECT_NE(text.out.find("Last crash:"), std::string::npos) << text.out;
}

}  // namespace
}  // namespace headscope
