#include "app/ui/guide/guide_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "app/ui/guide/languages.h"
#include "core/base/utf8.h"
#include "core/base/words.h"

namespace headscope::ui {
namespace {

using Kind = GuideBlock::Kind;

constexpr std::string_view kComment = "<!--";

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

void add_words(GuideLine& line, std::string_view words) {
  if (words.empty()) return;
  if (!line.empty() && line.back().kind == GuideSpan::Kind::words) {
    line.back().text += words;
  } else {
    line.push_back({GuideSpan::Kind::words, std::string(words)});
  }
}

// What begins at text[0] and is no plain word: its span, and how many bytes it takes; 0: nothing does.
std::pair<GuideSpan, std::size_t> marked_span(std::string_view text) {
  const auto between = [&](std::string_view mark, GuideSpan::Kind kind) -> std::pair<GuideSpan, std::size_t> {
    const std::size_t end = text.find(mark, mark.size());
    if (end == std::string_view::npos || end == mark.size()) return {{}, 0};
    return {{kind, std::string(text.substr(mark.size(), end - mark.size()))}, end + mark.size()};
  };
  if (text.starts_with('`')) return between("`", GuideSpan::Kind::code);
  if (text.starts_with("**")) return between("**", GuideSpan::Kind::strong);
  if (!text.starts_with('[')) return {{}, 0};
  const std::size_t middle = text.find("]("), end = text.find(')', middle == std::string_view::npos ? 0 : middle);
  if (middle == std::string_view::npos || end == std::string_view::npos) return {{}, 0};
  return {{GuideSpan::Kind::link, std::string(text.substr(1, middle - 1)),
           std::string(text.substr(middle + 2, end - middle - 2))},
          end + 1};
}

GuideLine parse_line(std::string_view text) {
  GuideLine line;
  while (!text.empty()) {
    auto [span, size] = marked_span(text);
    if (size > 0) {
      line.push_back(std::move(span));
    } else {
      size = std::max<std::size_t>(1, std::min(text.find_first_of("`*[", 1), text.size()));
      add_words(line, text.substr(0, size));
    }
    text.remove_prefix(size);
  }
  return line;
}

// "1." or "-" of a line that begins an item; "": it begins none.
std::string_view item_mark(std::string_view text) {
  if (text.starts_with("- ")) return text.substr(0, 1);
  std::size_t digits = 0;
  while (digits < text.size() && std::isdigit(static_cast<unsigned char>(text[digits]))) ++digits;
  return digits > 0 && text.substr(digits).starts_with(". ") ? text.substr(0, digits + 1) : std::string_view();
}

std::vector<GuideLine> table_row(std::string_view text) {
  std::vector<GuideLine> cells;
  text.remove_prefix(1);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('|'), text.size());
    cells.push_back(parse_line(trimmed(text.substr(0, end))));
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return cells;
}

// Reads one line after the other.
class Reader {
 public:
  explicit Reader(GuidePage& page) : page_(page) {}

  void read(std::string_view line) {
    const std::string_view text = trimmed(line);
    if (text.starts_with("```")) {
      end_words();
      in_code_ = !in_code_;
      if (in_code_) page_.blocks.push_back({.kind = Kind::code});
      return;
    }
    if (in_code_) {
      page_.blocks.back().code.emplace_back(line);
      return;
    }
    if (text.empty()) return end_words();
    if (text.front() == '|') return read_row(text);
    if (text.front() == '#') return read_heading(text);
    if (text.starts_with("![")) return read_picture(text);
    if (text.starts_with(kComment)) return read_live(text);
    if (const std::string_view mark = item_mark(text); !mark.empty()) {
      end_words();
      block_ = {.kind = Kind::item, .mark = std::string(mark)};
      words_ = trimmed(text.substr(mark.size()));
      return;
    }
    words_ += words_.empty() ? "" : " ";
    words_ += text;
  }

  // What was gathered becomes a block.
  void end_words() {
    if (!words_.empty()) {
      block_.line = parse_line(words_);
      page_.blocks.push_back(std::move(block_));
    }
    block_ = {};
    words_.clear();
  }

 private:
  void read_row(std::string_view text) {
    end_words();
    if (text.find_first_not_of("|-: ") == text.npos) return;  // the line below a table's head
    if (page_.blocks.empty() || page_.blocks.back().kind != Kind::table) page_.blocks.push_back({.kind = Kind::table});
    page_.blocks.back().rows.push_back(table_row(text));
  }
  void read_heading(std::string_view text) {
    end_words();
    const std::size_t marks = std::min(text.find_first_not_of('#'), text.size());
    GuideBlock block{.kind = Kind::heading, .mark = std::string(text.substr(0, marks))};
    block.line = parse_line(trimmed(text.substr(marks)));
    if (page_.title.empty()) page_.title = guide_words(block);
    page_.blocks.push_back(std::move(block));
  }
  // "<!-- NAME: words -->"; other comments are left out.
  void read_live(std::string_view text) {
    end_words();
    const std::size_t colon = text.find(": "), end = text.rfind(" -->");
    if (colon == text.npos || end == text.npos || end < colon + 2) return;
    GuideBlock block{.live = std::string(trimmed(text.substr(kComment.size(), colon - kComment.size())))};
    block.line = parse_line(trimmed(text.substr(colon + 2, end - colon - 2)));
    page_.blocks.push_back(std::move(block));
  }
  void read_picture(std::string_view text) {
    end_words();
    GuideBlock block{.kind = Kind::picture};
    block.line = parse_line(text.substr(1));
    page_.blocks.push_back(std::move(block));
  }

  GuidePage& page_;
  GuideBlock block_;
  std::string words_;
  bool in_code_ = false;
};

std::string line_words(const GuideLine& line) {
  std::string words;
  for (const GuideSpan& span : line) words += span.text;
  return words;
}

std::string small_letters(std::string text) {
  for (char& c : text) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return text;
}

// About 64 bytes of the text around the byte `at`, cut between words.
std::string excerpt_around(const std::string& text, std::size_t at) {
  constexpr std::size_t kBefore = 20, kLength = 64;
  std::size_t begin = at > kBefore ? at - kBefore : 0;
  if (begin > 0) begin = std::min(text.find(' ', begin), at == 0 ? at : at - 1) + 1;
  std::size_t end = std::min(text.size(), begin + kLength);
  if (end < text.size()) end = std::max(text.rfind(' ', end), begin + 1);
  if (end < text.size()) end = std::max(previous_grapheme(text, end + 1), begin + 1);
  return fmt::format("{}{}{}", begin > 0 ? "\u2026 " : "", text.substr(begin, end - begin),
                     end < text.size() ? " \u2026" : "");
}

}  // namespace

std::string guide_words(const GuideBlock& block) {
  std::string words = line_words(block.line);
  const auto add = [&](const std::string& more) {
    if (!words.empty()) words += ' ';
    words += more;
  };
  for (const std::string& line : block.code) add(line);
  for (const auto& row : block.rows) {
    for (const GuideLine& cell : row) add(line_words(cell));
  }
  return words;
}

bool is_live(const GuidePage& page) {
  return std::any_of(page.blocks.begin(), page.blocks.end(),
                     [](const GuideBlock& block) { return !block.live.empty(); });
}

GuidePage filled_page(const GuidePage& page, const std::map<std::string, std::string>& values) {
  GuidePage filled = page;
  for (GuideBlock& block : filled.blocks) {
    if (block.live.empty()) continue;
    if (values.find(block.live) == values.end()) block.line.clear();
    for (GuideSpan& span : block.line) span.text = filled_in(span.text, values);
  }
  return filled;
}

std::optional<std::size_t> find_heading(const GuidePage& page, std::string_view heading) {
  const std::string asked = small_letters(std::string(heading));
  for (std::size_t k = 0; k < page.blocks.size(); ++k) {
    const GuideBlock& block = page.blocks[k];
    if (block.kind == Kind::heading && small_letters(guide_words(block)) == asked) return k;
  }
  return std::nullopt;
}

GuidePage parse_guide_page(const std::string& id, std::string_view markdown) {
  GuidePage page{id, "", {}};
  Reader reader(page);
  while (!markdown.empty()) {
    const std::size_t end = std::min(markdown.find('\n'), markdown.size());
    reader.read(markdown.substr(0, end));
    markdown.remove_prefix(std::min(markdown.size(), end + 1));
  }
  reader.end_words();
  return page;
}

std::vector<GuideHit> find_in_guide(std::string_view query, std::size_t most, const std::string& language) {
  std::vector<std::string> asked;
  for (const std::string_view word : words_of(query)) asked.push_back(small_letters(std::string(word)));
  std::vector<GuideHit> hits;
  if (asked.empty()) return hits;
  for (const GuidePage& page : guide_pages(language)) {
    std::string heading;
    for (std::size_t k = 0; k < page.blocks.size(); ++k) {
      if (!page.blocks[k].live.empty()) continue;  // its numbers are those of the run, and may not be shown at all
      const std::string words = guide_words(page.blocks[k]);
      if (page.blocks[k].kind == Kind::heading) heading = words;
      const std::string small = small_letters(words);
      const bool all = std::all_of(asked.begin(), asked.end(),
                                   [&](const std::string& word) { return small.find(word) != std::string::npos; });
      if (!all) continue;
      hits.push_back({&page, k, heading, excerpt_around(words, small.find(asked.front()))});
      if (hits.size() == most) return hits;
    }
  }
  return hits;
}

}  // namespace headscope::ui
