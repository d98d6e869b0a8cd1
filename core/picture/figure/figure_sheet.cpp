#include "core/picture/figure/figure_sheet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/base/grouped_digits.h"
#include "core/tensor/parts.h"

namespace headscope {

namespace {

constexpr double kLineHeight = 16;

}  // namespace

std::string pooled_note(const MapSize& size, std::int64_t rows, std::int64_t columns, const std::string& noun) {
  if (!size.pooled()) return "";
  const auto share = [](std::int64_t cells, int pixels) {
    return std::max<std::int64_t>(1, parts_over(cells, pixels));
  };
  return fmt::format("each pixel shows the largest of up to {} {}s",
                     grouped_digits(share(rows, size.height) * share(columns, size.width)), noun);
}

MapSize map_size(const MapRoom& room) {
  const auto fill = [&](double cell_width, double cell_height) {
    const auto extent = [](double cell, std::int64_t count, int most) {
      return cell >= 1 ? static_cast<int>(std::min<double>(cell * static_cast<double>(count), 1 << 20))
                       : std::max(1, most);
    };
    return MapSize{extent(cell_width, room.columns, room.width), extent(cell_height, room.rows, room.height),
                   cell_width, cell_height};
  };
  if (room.explicit_cell > 0) return fill(room.explicit_cell, room.explicit_cell);

  // Whole pixels, or the fraction that fills the room.
  const auto cell_for = [](int pixels, std::int64_t count, int largest) {
    const double cell = static_cast<double>(pixels) / static_cast<double>(count);
    return cell >= 1 ? std::min(std::floor(cell), static_cast<double>(largest)) : cell;
  };
  double cell_width = cell_for(room.width, room.columns, room.largest_cell);
  double cell_height = cell_for(room.height, room.rows, room.largest_cell);
  if (!room.square) {
    if (cell_height > 1) cell_height = std::min(cell_height, std::max<double>(room.row_height, cell_width));
    return fill(cell_width, cell_height);
  }
  const double cell = std::min(cell_width, cell_height);
  const auto side = [&](std::int64_t count, double roomy) {
    const double short_side = cell * static_cast<double>(count);
    if (short_side >= room.shortest || roomy <= cell) return cell;
    return std::min(roomy, std::max(cell, std::ceil(room.shortest / static_cast<double>(count))));
  };
  const double width = side(room.columns, cell_width), height = side(room.rows, cell_height);
  MapSize size = fill(width, height);
  if (width < 1) size.width = std::max(1, static_cast<int>(std::lround(width * static_cast<double>(room.columns))));
  if (height < 1) size.height = std::max(1, static_cast<int>(std::lround(height * static_cast<double>(room.rows))));
  return size;
}

Sheet::Sheet(const Trace& of_trace, const ViewSpec& of_view)
    : trace(of_trace), measured(&of_trace), computed(&of_trace), view(of_view), colors(palette(of_view.theme)) {
  plan.ground = colors.panel;
  if (view.paper.ground == Ground::white) plan.ground = {255, 255, 255, 255};
  if (view.paper.ground == Ground::transparent) plan.ground.a = 0;
  plan.pixels_per_inch = pixels_per_inch(view);
  plan.paper_width = view.paper.width;
}

int Sheet::px(double units) const {
  if (units == 0) return 0;
  return std::max(1, static_cast<int>(std::floor(units * view.scale + 0.5)));
}

void Sheet::text(double x, double baseline, std::string words, FontRole role, double size, Rgba color) {
  if (!words.empty()) plan.items.emplace_back(TextItem{x, baseline, std::move(words), role, font(size), color});
}

void Sheet::text_middle(double x, double middle, std::string words, FontRole role, double size, Rgba color) {
  text(x, middle + font_metrics(role, font(size)).cap_height / 2, std::move(words), role, size, color);
}

void Sheet::text_anchored(double x, double middle, std::string words, const WordStyle& style, double anchor) {
  if (words.empty()) return;
  const double left = x - anchor * width_of(words, style.role, style.size);
  text_middle(left, middle, std::move(words), style.role, style.size, style.color);
  std::get<TextItem>(plan.items.back()).anchor = anchor;
}

void Sheet::text_right(double right, double middle, std::string words, FontRole role, double size, Rgba color) {
  text_anchored(right, middle, std::move(words), {role, size, color}, 1);
}

void Sheet::text_centred(double center, double middle, std::string words, FontRole role, double size, Rgba color) {
  text_anchored(center, middle, std::move(words), {role, size, color}, 0.5);
}

void Sheet::text_upwards(double center, double bottom, std::string words, FontRole role, double size, Rgba color) {
  const double baseline = center + font_metrics(role, font(size)).cap_height / 2;
  plan.items.emplace_back(TextItem{baseline, bottom, std::move(words), role, font(size), color, 1});
}

void Sheet::rect(int x, int y, int width, int height, Rgba color) {
  plan.items.emplace_back(RectItem{x, y, width, height, color});
}

int Sheet::paragraph(int x, int y, int width, const std::vector<Span>& spans) {
  if (!view.paper.caption) return 0;
  if (on_paper()) {
    caption_.insert(caption_.end(), spans.begin(), spans.end());
    return 0;
  }
  constexpr double kSize = 11;
  const double space = width_of(" ", FontRole::words, kSize);
  double pen = 0, begin_of_run = 0;
  int line = 0;
  std::string run;  // words of one colour on one line are one text
  Rgba color;
  const auto end_run = [&] {
    text_middle(x + begin_of_run, y + (line + 0.5) * font(kLineHeight), run, FontRole::words, kSize, color);
    run.clear();
  };
  for (const Span& span : spans) {
    end_run();
    if (span.text == "\n") {
      pen = 0;
      ++line;
      continue;
    }
    color = span.color;
    std::size_t begin = 0;
    while (begin < span.text.size()) {
      const std::size_t end = std::min(span.text.find(' ', begin), span.text.size());
      const std::string word = span.text.substr(begin, end - begin);
      begin = end + 1;
      if (word.empty()) continue;
      const double extent = width_of(word, FontRole::words, kSize);
      if (pen > 0 && pen + extent > width) {
        end_run();
        pen = 0;
        ++line;
      }
      if (run.empty()) begin_of_run = pen;
      run += (run.empty() ? "" : " ") + word;
      pen += extent + space;
    }
  }
  end_run();
  return spans.empty() ? 0 : static_cast<int>(std::ceil((line + 1) * font(kLineHeight)));
}

int Sheet::header(const Title& title, int width) {
  for (const std::string& part : {title.name, title.stage, title.shape, title.fact}) {
    if (!part.empty()) plan.title += (plan.title.empty() ? "" : " ") + part;
  }
  const std::vector<std::string> lines = title.lines.empty() ? std::vector{request_facts(trace)} : title.lines;
  for (const std::string& line : lines) plan.description += (plan.description.empty() ? "" : "\n") + line;
  if (on_paper()) {
    caption_.push_back({title.name + (title.stage.empty() ? "" : ", " + title.stage) + ".", colors.text, true});
    if (!title.fact.empty()) caption_.push_back({title.fact + ".", colors.text});
    recipe_ = lines;
    return margin();
  }
  const int left = margin(), right = width - margin();
  if (view.paper.caption) title_line(title, margin() + font(7), right);
  double below = margin() + font(view.paper.caption ? 26 : 7);
  if (view.paper.recipe_line) {
    for (const std::string& line : lines) {
      text_middle(left, below, fit_text(line, FontRole::words, font(11), right - left), FontRole::words, 11,
                  colors.text3);
      below += font(kLineHeight);
    }
  }
  if (!view.paper.caption || !view.paper.recipe_line) return static_cast<int>(std::ceil(below + font(4)));
  return margin() + px(46) + static_cast<int>(std::ceil(static_cast<double>(lines.size() - 1) * font(kLineHeight)));
}

void Sheet::title_line(const Title& title, double middle, int right) {
  const int left = margin();
  double x = left;
  if (title.head >= 0) {
    rect(left, static_cast<int>(std::lround(middle - font(5))), px(10), px(10), head_color(title.head));
    x += px(10) + px(8);
  }
  const FontRole role = title.contract_name ? FontRole::numbers_bold : FontRole::words_bold;
  const std::string name = fit_text(title.name, role, font(13), right - x);
  text_middle(x, middle, name, role, 13, colors.text);
  x += width_of(name, role, 13) + font(10);
  for (const std::string& part : {title.stage, title.shape}) {
    const std::string fit = fit_text(part, FontRole::numbers, font(12), right - x);
    text_middle(x, middle, fit, FontRole::numbers, 12, colors.text2);
    if (!fit.empty()) x += width_of(fit, FontRole::numbers, 12) + font(8);
  }
  text_middle(x, middle, fit_text(title.fact, FontRole::words, font(12), right - x), FontRole::words, 12, colors.text2);
}

}  // namespace headscope
