// The three kinds of files of a HeadVis tree: what is read is written as a file that reads as the same.
#include <string>

#include "core/base/error.h"
#include "core/headvis/headvis_read.h"
#include "core/headvis/headvis_write.h"
#include "tests/fuzz/fuzz.h"

using namespace headscope;

namespace {

// Of a head that both kinds of files may be of.
const HeadVisConfig& config() {
  static const HeadVisConfig made = parse_headvis_config(
      R"({"model_name":"m","heads":[[0,1],[2,0]],"metrics":["induction_score","logit_std"]})", "config.json");
  return made;
}

template <typename Read>
void when_read(const Read& read) {
  try {
    read();
  } catch (const Error&) {
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view json = fuzz::as_text(data, size);
  when_read([&] {
    const std::string text = headvis_config_text(parse_headvis_config(json, "fuzz"));
    fuzz::require(headvis_config_text(parse_headvis_config(text, "again")) == text, "a config is read back");
    const HeadVisConfig read = parse_headvis_config(json, "fuzz");
    const std::string name = headvis_file_name(read.pattern, 3, 11);
    fuzz::require(name.find('/') == name.npos && !name.starts_with('.'), "a head's file lies in its folder");
  });
  when_read([&] {
    const HeadVisTree tree{config(), parse_headvis_scatter(json, config(), "fuzz")};
    const std::string text = headvis_scatter_text(tree);
    fuzz::require(headvis_scatter_text({config(), parse_headvis_scatter(text, config(), "again")}) == text,
                  "rows are read back");
  });
  when_read([&] {
    const std::string text = headvis_head_text(parse_headvis_head(json, config(), "fuzz"));
    fuzz::require(headvis_head_text(parse_headvis_head(text, config(), "again")) == text, "a head is read back");
  });
  return 0;
}
