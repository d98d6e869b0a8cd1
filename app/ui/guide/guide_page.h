// The pages of the guide: Markdown files of assets/guide, as blocks that are drawn and searched.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace headscope::ui {

// A part of a line: words, words that stand out, code, or words that lead to `target`.
struct GuideSpan {
  enum class Kind { words, strong, code, link } kind = Kind::words;
  std::string text;
  std::string target = {};  // of a link, as it is written in the file: "03-my-checkpoint.md"
};
using GuideLine = std::vector<GuideSpan>;

struct GuideBlock {
  enum class Kind { heading, paragraph, item, code, table, picture } kind = Kind::paragraph;
  std::string mark = {};                          // of an item: "1.", "-"; of a heading: "##"
  GuideLine line = {};                            // of a heading, paragraph or item; the words of a picture
  std::vector<std::string> code = {};             // lines of code
  std::vector<std::vector<GuideLine>> rows = {};  // of a table; the first one names its columns
  std::string live = {};                          // shown only where filled_page() has a value of this name; "": always
};

struct GuidePage {
  std::string id;     // name of the file without its ending: "03-my-checkpoint"
  std::string title;  // its first heading
  std::vector<GuideBlock> blocks;
};

// Reads the Markdown that the guide is written in: headings, paragraphs, lists of one level, fenced code, tables,
// pictures that stand alone; within a line **strong**, `code` and [links](target). Anything else is words. A comment
// "<!-- NAME: words with {value} -->" on a line of its own is a paragraph with numbers of the run on screen.
GuidePage parse_guide_page(const std::string& id, std::string_view markdown);

// All pages, in the order of their files; those that the language of this code ("es") has not are in English. A page
// has the same blocks in every language.
const std::vector<GuidePage>& guide_pages(const std::string& language = "en");
// Null where there is no such page.
const GuidePage* find_guide_page(std::string_view id, const std::string& language = "en");

// The plain words of a block.
std::string guide_words(const GuideBlock& block);

// The page with {value} filled in where a paragraph is live. Those whose name has no value become empty paragraphs, so
// that blocks keep their numbers.
GuidePage filled_page(const GuidePage& page, const std::map<std::string, std::string>& values);
// Whether filled_page() changes it.
bool is_live(const GuidePage& page);

// The number of the block that is this heading, in any case of letters; nullopt where the page has none.
std::optional<std::size_t> find_heading(const GuidePage& page, std::string_view heading);

// A block that has every word of a query in it.
struct GuideHit {
  const GuidePage* page = nullptr;
  std::size_t block = 0;
  std::string heading;  // the last one at or before it
  std::string excerpt;  // its words around the first that was asked for
};
// In the order of the pages, at most `most`; none for a query without a word. Letters of either case are equal.
std::vector<GuideHit> find_in_guide(std::string_view query, std::size_t most, const std::string& language = "en");

}  // namespace headscope::ui
