#include "core/picture/text/formula_layout.h"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

namespace headscope {

namespace {

constexpr double kThin = 1;       // of bars, units
constexpr double kGap = 3;        // between a bar and what it parts
constexpr double kOverhang = 3;   // of a bar at the ends of a fraction
constexpr double kLowered = 4;    // by which indices stand below the baseline
constexpr double kRowGap = 4;     // between cases, and between lines
constexpr double kIndent = 18;    // of a second line
constexpr double kEqualsGap = 7;  // at both sides of =

// A part with its baseline at y 0: `ascent` above it, `descent` below.
struct Box {
  FormulaLayout drawn;
  double ascent = 0, descent = 0;
  double width() const { return drawn.width; }
  double height() const { return ascent + descent; }
};

// Adds `part` with its left end at x and its baseline at y.
void put(Box& into, Box part, double x, double y) {
  for (FormulaGlyphs& glyphs : part.drawn.glyphs) {
    glyphs.x += x;
    glyphs.baseline += y;
    into.drawn.glyphs.push_back(std::move(glyphs));
  }
  for (FormulaRect bar : part.drawn.bars) {
    bar.x += x;
    bar.y += y;
    into.drawn.bars.push_back(bar);
  }
  for (FormulaTerm& term : part.drawn.terms) {
    term.place.x += x;
    term.place.y += y;
    into.drawn.terms.push_back(std::move(term));
  }
  into.drawn.width = std::max(into.drawn.width, x + part.drawn.width);
  into.ascent = std::max(into.ascent, part.ascent - y);
  into.descent = std::max(into.descent, part.descent + y);
}

class Layout {
 public:
  explicit Layout(const FormulaFonts& fonts) : fonts_(fonts) {}

  Box box(const FormulaNode& node) const {
    Box made = (this->*kMakers[static_cast<std::size_t>(node.kind)])(node);
    if (node.term.empty()) return made;
    made.drawn.terms.insert(made.drawn.terms.begin(), {node.term, {0, -made.ascent, made.width(), made.height()}});
    return made;
  }

  Box letters(const std::string& text, FormulaType type, FormulaRole role) const {
    Box made;
    made.drawn.width = fonts_.width(type, text);
    made.ascent = fonts_.ascent(type);
    made.descent = fonts_.descent(type);
    made.drawn.glyphs.push_back({0, 0, text, type, role});
    return made;
  }

  double px(double units) const { return units * fonts_.unit; }

 private:
  using Maker = Box (Layout::*)(const FormulaNode&) const;

  Box text(const FormulaNode& node) const { return letters(node.text, node.type, node.role); }

  Box row(const FormulaNode& node) const {
    Box made;
    for (const FormulaNode& part : node.parts) put(made, box(part), made.width(), 0);
    return made;
  }

  // The bar lies at the height of a minus.
  double axis() const { return fonts_.ascent(FormulaType::words) * 0.36; }

  Box fraction(const FormulaNode& node) const {
    Box above = box(node.parts[0]), below = box(node.parts[1]);
    const double width = std::max(above.width(), below.width()) + 2 * px(kOverhang);
    const double bar = -axis() - px(kThin) / 2;
    Box made;
    made.drawn.bars.push_back({0, bar, width, px(kThin)});
    const double top = bar - px(kGap) - above.descent, bottom = bar + px(kThin) + px(kGap) + below.ascent;
    const double above_x = (width - above.width()) / 2, below_x = (width - below.width()) / 2;
    put(made, std::move(above), above_x, top);
    put(made, std::move(below), below_x, bottom);
    made.drawn.width = width;
    return made;
  }

  Box root(const FormulaNode& node) const {
    Box inside = box(node.parts[0]);
    Box made = letters("√", FormulaType::words, FormulaRole::plain);
    const double left = made.width(), top = std::max(made.ascent, inside.ascent);
    const double width = inside.width() + px(2);
    put(made, std::move(inside), left + px(1), 0);
    made.drawn.bars.push_back({left, -top - px(kThin), width, px(kThin)});
    made.ascent = std::max(made.ascent, top + px(kThin));
    made.drawn.width = left + width;
    return made;
  }

  Box scripts(const FormulaNode& node) const {
    Box made = box(node.parts[0]);
    put(made, box(node.parts[1]), made.width() + px(1), px(kLowered));
    made.drawn.width += px(1);
    return made;
  }

  Box sum(const FormulaNode& node) const {
    Box sign = letters("Σ", FormulaType::big, FormulaRole::plain);
    Box below = box(node.parts[0]), above = box(node.parts[1]);
    const double width = std::max({sign.width(), below.width(), above.width()});
    const double sign_x = (width - sign.width()) / 2, below_x = (width - below.width()) / 2,
                 above_x = (width - above.width()) / 2;
    const double below_y = sign.descent + below.ascent, above_y = -sign.ascent - above.descent;
    Box made;
    put(made, std::move(sign), sign_x, 0);
    put(made, std::move(below), below_x, below_y);
    put(made, std::move(above), above_x, above_y);
    made.drawn.width = width + px(4);
    return made;
  }

  // An upright bar with ends that point to the side of `inside`.
  void side_of(Box& made, double x, bool left, double ascent, double descent) const {
    const double thin = px(kThin), end = px(4);
    made.drawn.bars.push_back({left ? x : x + end - thin, -ascent, thin, ascent + descent});
    made.drawn.bars.push_back({x, -ascent, end, thin});
    made.drawn.bars.push_back({x, descent - thin, end, thin});
  }

  Box brackets(const FormulaNode& node) const {
    Box inside = box(node.parts[0]);
    Box made;
    const double line = fonts_.ascent(FormulaType::words) + fonts_.descent(FormulaType::words);
    if (inside.height() < 1.6 * line) {
      put(made, letters("(", FormulaType::words, FormulaRole::plain), 0, 0);
      put(made, std::move(inside), made.width(), 0);
      put(made, letters(")", FormulaType::words, FormulaRole::plain), made.width(), 0);
      return made;
    }
    const double ascent = inside.ascent, descent = inside.descent, end = px(4), gap = px(3);
    const double right = px(2) + end + gap + inside.width() + gap;
    side_of(made, px(2), true, ascent, descent);
    put(made, std::move(inside), px(2) + end + gap, 0);
    side_of(made, right, false, ascent, descent);
    made.drawn.width = right + end + px(2);
    return made;
  }

  Box cases(const FormulaNode& node) const {
    std::vector<Box> values, whens;
    double height = 0, widest = 0;
    for (std::size_t at = 0; at + 1 < node.parts.size(); at += 2) {
      values.push_back(box(node.parts[at]));
      whens.push_back(box(node.parts[at + 1]));
      height += std::max(values.back().ascent, whens.back().ascent) +
                std::max(values.back().descent, whens.back().descent) + (at == 0 ? 0 : px(kRowGap));
      widest = std::max(widest, values.back().width());
    }
    Box made;
    const double top = -axis() - height / 2, left = px(4) + px(7);
    side_of(made, 0, true, -top, top + height);
    double y = top;
    for (std::size_t at = 0; at < values.size(); ++at) {
      const double ascent = std::max(values[at].ascent, whens[at].ascent);
      const double descent = std::max(values[at].descent, whens[at].descent);
      put(made, std::move(values[at]), left, y + ascent);
      put(made, std::move(whens[at]), left + widest + px(12), y + ascent);
      y += ascent + descent + px(kRowGap);
    }
    made.ascent = std::max(made.ascent, -top);
    made.descent = std::max(made.descent, top + height);
    return made;
  }

  // In the order of FormulaNode::Kind.
  static constexpr Maker kMakers[] = {&Layout::text,    &Layout::row, &Layout::fraction, &Layout::root,
                                      &Layout::scripts, &Layout::sum, &Layout::brackets, &Layout::cases};
  static_assert(std::size(kMakers) == static_cast<std::size_t>(FormulaNode::Kind::cases) + 1);

  const FormulaFonts& fonts_;
};

// Moves everything so that its upper left corner is at 0.
FormulaLayout from_top(Box box) {
  Box moved;
  const double ascent = box.ascent, height = box.height();
  put(moved, std::move(box), 0, ascent);
  moved.drawn.height = height;
  moved.drawn.baseline = ascent;
  return std::move(moved.drawn);
}

}  // namespace

FormulaLayout formula_layout(const FormulaNode& node, const FormulaFonts& fonts) {
  return from_top(Layout(fonts).box(node));
}

FormulaLayout formula_layout(const Formula& formula, const FormulaFonts& fonts, double width) {
  const Layout layout(fonts);
  std::vector<Box> lines = {layout.box(formula.left)};
  const double gap = layout.px(kEqualsGap);
  for (const FormulaNode& right : formula.right) {
    Box equals = layout.letters("=", FormulaType::words, FormulaRole::plain);
    Box part = layout.box(right);
    const double extent = gap + equals.width() + gap + part.width();
    double x = lines.back().width() + gap;
    if (lines.back().width() + extent > width) {
      lines.emplace_back();
      x = layout.px(kIndent);
    }
    const double behind = x + equals.width() + gap;
    put(lines.back(), std::move(equals), x, 0);
    put(lines.back(), std::move(part), behind, 0);
  }
  Box all;
  double y = 0;
  for (std::size_t at = 0; at < lines.size(); ++at) {
    if (at > 0) y += lines[at].ascent;
    const double descent = lines[at].descent;
    put(all, std::move(lines[at]), 0, y);
    y += descent + layout.px(kRowGap);
  }
  return from_top(std::move(all));
}

double formula_size(FormulaType type) {
  constexpr double kSizes[] = {13, 12, 12, 11, 16};  // in the order of FormulaType
  return kSizes[static_cast<std::size_t>(type)];
}

}  // namespace headscope
