// Where the words of a page lie.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include "app/ui/guide/guide_text.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

using Kind = GuideBlock::Kind;

constexpr float kLine = 20, kAfter = 10, kItem = 26, kPadding = 10, kCodeLine = 17, kColumnGap = 18;

// How a span is drawn, and what it leads to.
struct SpanLook {
  GuidePiece::Kind kind;
  Type type;
  std::string target = {};
};

SpanLook look_of(const GuideSpan& span, Type words) {
  switch (span.kind) {
    case GuideSpan::Kind::code: {
      const std::string key = guide_key(span.text);
      return {key.empty() ? GuidePiece::Kind::code : GuidePiece::Kind::link, Type::mono12, key};
    }
    case GuideSpan::Kind::link: {
      const std::string action = guide_action(span.target);
      return {action.empty() ? GuidePiece::Kind::words : GuidePiece::Kind::link, words, action};
    }
    case GuideSpan::Kind::strong:
      return {GuidePiece::Kind::strong, Type::title13};
    case GuideSpan::Kind::words:
      break;
  }
  return {GuidePiece::Kind::words, words};
}

// Where the words of a line go: a column from `left` to `right`, lines from `y` down.
struct Column {
  float left = 0, right = 0, y = 0, x = 0;
  std::size_t whole = 0;  // the piece from which on nothing may be broken: no blank stands between them
};

class Layouter {
 public:
  Layouter(Ui& ui, GuideLayout& layout) : ui_(ui), layout_(layout) {}

  void add(const GuideBlock& block) {
    layout_.tops.push_back(y_);
    switch (block.kind) {
      case Kind::heading:
        return add_heading(block);
      case Kind::paragraph:
        return block.line.empty() ? void() : add_line(block.line, 0);
      case Kind::picture:  // the window itself is there: what a picture of it shows is said in words
        for (const GuideSpan& span : block.line)
          add_line({{GuideSpan::Kind::words, fmt::format("{} {}", said(ui_, "Picture:"), span.text)}}, 0, true);
        return;
      case Kind::item:
        place({{0, y_}, {ui_.px(kItem), y_ + ui_.px(kLine)}}, GuidePiece::Kind::dim, Type::mono12,
              block.mark == "-" ? "\u2013" : block.mark);
        return add_line(block.line, ui_.px(kItem));
      case Kind::code:
        return add_code(block.code);
      case Kind::table:
        return add_table(block.rows);
    }
  }
  float bottom() const { return y_; }

 private:
  void place(const Rect& rect, GuidePiece::Kind kind, Type type, std::string text, std::string target = "") {
    layout_.pieces.push_back({kind, rect, type, std::move(text), std::move(target)});
  }

  void add_heading(const GuideBlock& block) {
    const bool first = block.mark == "#";
    if (!first) y_ += ui_.px(12);
    place({{0, y_}, {layout_.width, y_ + ui_.px(24)}}, GuidePiece::Kind::strong, first ? Type::title15 : Type::title13,
          guide_words(block));
    y_ += ui_.px(24);
    if (first) place({{0, y_}, {layout_.width, y_ + 1}}, GuidePiece::Kind::rule, Type::words13, "");
    y_ += ui_.px(first ? 12 : 6);
  }

  void add_line(const GuideLine& line, float left, bool dim = false) {
    Column column{left, layout_.width, y_, left};
    flow(line, column, dim);
    y_ = column.y + ui_.px(kLine + kAfter);
  }

  // Words one behind the other, broken between them; column.y is then the top of the last line.
  void flow(const GuideLine& line, Column& column, bool dim = false) {
    bool gap = false;
    column.whole = layout_.pieces.size();
    for (const GuideSpan& span : line) {
      const SpanLook look = look_of(span, Type::words13);
      std::string_view rest = span.text;
      float blank = text_width(ui_, Type::words13, " ");
      while (!rest.empty()) {
        if (rest.front() == ' ') {
          gap = true;
          rest.remove_prefix(1);
          continue;
        }
        const std::size_t end = std::min(rest.find(' '), rest.size());
        put_word(look, std::string(rest.substr(0, end)), std::exchange(gap, false) ? blank : 0, column, dim);
        blank = text_width(ui_, look.type, " ");
        rest.remove_prefix(end);
      }
    }
  }

  void put_word(const SpanLook& look, std::string word, float gap, Column& column, bool dim) {
    const float width = std::ceil(text_width(ui_, look.type, given(word)));
    if (gap > 0) column.whole = layout_.pieces.size();
    if (column.x > column.left && column.x + gap + width > column.right) {
      next_line(column);
      gap = 0;
    }
    // A link's words on one line are one place to press.
    GuidePiece* last = layout_.pieces.empty() ? nullptr : &layout_.pieces.back();
    const bool goes_on = look.kind == GuidePiece::Kind::link && last != nullptr && gap > 0 && last->kind == look.kind &&
                         last->target == look.target && last->rect.min.y == column.y && last->rect.max.x == column.x;
    const float x = column.x + gap;
    column.x = x + width;
    if (goes_on) {
      last->text += ' ';
      last->text += word;
      last->rect.max.x = column.x;
      return;
    }
    place({{x, column.y}, {std::min(column.x, std::max(column.right, x)), column.y + ui_.px(kLine)}},
          dim ? GuidePiece::Kind::dim : look.kind, look.type, std::move(word), look.target);
  }

  // What may not be broken goes along, unless it is all of the line.
  void next_line(Column& column) {
    const std::size_t end = layout_.pieces.size();
    const bool moves = column.whole < end && layout_.pieces[column.whole].rect.min.x > column.left;
    const float by = moves ? layout_.pieces[column.whole].rect.min.x - column.left : 0;
    column.x = moves ? column.x - by : column.left;
    column.y += ui_.px(kLine);
    for (std::size_t k = moves ? column.whole : end; k < end; ++k) {
      Rect& rect = layout_.pieces[k].rect;
      rect = {{rect.min.x - by, column.y}, {rect.max.x - by, column.y + ui_.px(kLine)}};
    }
  }

  // A line of code that is too long for the page goes on in the next one, further in.
  void add_code(const std::vector<std::string>& lines) {
    const std::size_t ground = layout_.pieces.size();
    const float top = y_, padding = ui_.px(kPadding);
    place({{0, top}, {layout_.width, top}}, GuidePiece::Kind::well, Type::mono12,
          fmt::format("{}\n", fmt::join(lines, "\n")));
    y_ += ui_.px(6);
    const auto room = [&](float indent) {
      return static_cast<std::size_t>(
          std::max(8.0f, std::floor((layout_.width - 2 * padding - ui_.px(kGuideCopy) - indent) /
                                    std::max(1.0f, text_width(ui_, Type::mono12, "0")))));
    };
    for (const std::string& line : lines) {
      std::string_view rest = line;
      float indent = 0;
      do {
        std::size_t size = std::min(room(indent), rest.size());
        if (size < rest.size()) {
          const std::size_t blank = rest.rfind(' ', size);
          if (blank != std::string_view::npos && blank > 0) size = blank + 1;
          while (size > 1 && (static_cast<unsigned char>(rest[size]) & 0xC0) == 0x80) --size;  // no cut in a character
        }
        place({{padding + indent, y_}, {layout_.width - padding, y_ + ui_.px(kCodeLine)}}, GuidePiece::Kind::code,
              Type::mono12, std::string(rest.substr(0, size)));
        y_ += ui_.px(kCodeLine);
        rest.remove_prefix(size);
        indent = ui_.px(24);
      } while (!rest.empty());
    }
    y_ += ui_.px(6);
    layout_.pieces[ground].rect.max.y = y_;
    y_ += ui_.px(kAfter);
  }

  // Columns as wide as what they hold where that fits; the widest one gives way.
  void add_table(const std::vector<std::vector<GuideLine>>& rows) {
    std::vector<float> widths;
    for (const auto& row : rows) {
      widths.resize(std::max(widths.size(), row.size()), 0);
      for (std::size_t k = 0; k < row.size(); ++k) widths[k] = std::max(widths[k], natural_width(row[k]));
    }
    if (widths.empty()) return;
    const float gaps = ui_.px(kColumnGap) * static_cast<float>(widths.size() - 1);
    for (int turn = 0; turn < 8; ++turn) {
      float sum = gaps;
      for (const float width : widths) sum += width;
      if (sum <= layout_.width) break;
      auto widest = std::max_element(widths.begin(), widths.end());
      *widest = std::max(*widest * 0.5f, *widest - (sum - layout_.width));
    }
    for (std::size_t r = 0; r < rows.size(); ++r) {
      float x = 0, low = y_;
      for (std::size_t k = 0; k < rows[r].size(); ++k) {
        Column column{x, x + widths[k], y_, x};
        flow(rows[r][k], column, r == 0);
        low = std::max(low, column.y);
        x += widths[k] + ui_.px(kColumnGap);
      }
      y_ = low + ui_.px(kLine + 4);
      if (r == 0)
        place({{0, y_ - ui_.px(3)}, {layout_.width, y_ - ui_.px(3) + 1}}, GuidePiece::Kind::rule, Type::words13, "");
    }
    y_ += ui_.px(kAfter);
  }

  float natural_width(const GuideLine& line) {
    float width = 0;
    for (const GuideSpan& span : line)
      width += std::ceil(text_width(ui_, look_of(span, Type::words13).type, given(span.text))) + 2;
    return width;
  }

  Ui& ui_;
  GuideLayout& layout_;
  float y_ = 0;
};

}  // namespace

GuideLayout lay_out_guide(Ui& ui, const GuidePage& page, float width) {
  GuideLayout layout;
  layout.page = page.id;
  layout.width = width;
  layout.scale = ui.scale;
  Layouter layouter(ui, layout);
  for (const GuideBlock& block : page.blocks) layouter.add(block);
  layout.height = layouter.bottom();
  return layout;
}

}  // namespace headscope::ui
