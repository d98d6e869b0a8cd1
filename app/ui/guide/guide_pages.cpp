// The pages that are built into the program, in each language.
#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "app/ui/guide/embedded_texts.h"
#include "app/ui/guide/guide_page.h"

namespace headscope::ui {
namespace {

// The files of another language lie one folder deeper: "../../examples/x.json" there is "../examples/x.json" here.
GuidePage as_from_english_folder(GuidePage page) {
  constexpr std::string_view kUp = "../";
  const auto lift = [&](GuideLine& line) {
    for (GuideSpan& span : line) {
      if (span.target.starts_with(kUp)) span.target.erase(0, kUp.size());
    }
  };
  for (GuideBlock& block : page.blocks) {
    lift(block.line);
    for (auto& row : block.rows) {
      for (GuideLine& cell : row) lift(cell);
    }
  }
  return page;
}

}  // namespace

const std::vector<GuidePage>& guide_pages(const std::string& language) {
  static std::map<std::string, std::vector<GuidePage>> read;
  const auto [at, is_new] = read.try_emplace(language);
  std::vector<GuidePage>& pages = at->second;
  if (!is_new) return pages;
  for (const EmbeddedText& file : guide_files()) {
    if (file.name.find('/') == std::string::npos) pages.push_back(parse_guide_page(file.name, file.text));
  }
  for (const EmbeddedText& file : guide_files()) {
    if (!file.name.starts_with(language + "/")) continue;
    const std::string id = file.name.substr(language.size() + 1);
    const auto page = std::find_if(pages.begin(), pages.end(), [&](const GuidePage& each) { return each.id == id; });
    if (page != pages.end()) *page = as_from_english_folder(parse_guide_page(id, file.text));
  }
  return pages;
}

const GuidePage* find_guide_page(std::string_view id, const std::string& language) {
  for (const GuidePage& page : guide_pages(language)) {
    if (page.id == id) return &page;
  }
  return nullptr;
}

}  // namespace headscope::ui
