// Putting a laid out figure into an SVG document.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "core/io/base64.h"
#include "core/io/png.h"
#include "core/io/svg.h"
#include "core/picture/figure_output.h"
#include "core/picture/figure_svg_text.h"
#include "core/picture/heatmap_painter.h"

namespace headscope {

namespace {

constexpr std::int64_t kMostDrawnCells = 40000;  // of all maps of a picture together

bool pooled(const HeatmapSpec& spec) {
  return spec.width < spec.columns || spec.height < spec.rows;
}

// What a cell shows, by the rules of heatmap_spec.h.
struct Look {
  enum class Kind : std::uint8_t { color, hidden, nan, above, below } kind = Kind::color;
  Rgba color;
  friend bool operator==(const Look&, const Look&) = default;
};

class SvgOutput : public FigureOutput {
 public:
  SvgOutput(std::ostream& out, const FigurePlan& plan, bool cells, int map_count, const CancelToken& cancel,
            const std::function<void(double)>& progress)
      : out_(out), plan_(plan), cells_(cells), map_count_(map_count), cancel_(cancel), progress_(progress) {}

  Range rows() const override { return {0, plan_.height}; }

  void rect(const RectItem& item) override {
    out_ << fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" {}/>\n", item.x, item.y, item.width,
                        item.height, svg_paint("fill", item.color));
  }

  void corner(const CornerItem& item) override {
    out_ << fmt::format("<path d=\"M{0} {1}h{2}l-{2} {2}z\" {3}/>\n", item.x, item.y, item.side,
                        svg_paint("fill", item.color));
  }

  void curve(const CurveItem& item) override {
    const std::string middle = svg_number((item.x0 + item.x1) / 2);
    out_ << fmt::format("<path d=\"M{} {}C{} {} {} {} {} {}\" fill=\"none\" stroke-width=\"{}\" {}/>\n",
                        svg_number(item.x0), svg_number(item.y0), middle, svg_number(item.y0), middle,
                        svg_number(item.y1), svg_number(item.x1), svg_number(item.y1), svg_number(item.width),
                        svg_paint("stroke", item.color));
  }

  void text(const TextItem& item) override {
    const double width = text_width(item.text, item.role, item.size);
    const bool upwards = item.quarter_turns == 1;
    const double x = upwards ? item.x : item.x + item.anchor * width;
    const double y = upwards ? item.y - item.anchor * width : item.y;
    std::string place = fmt::format("x=\"{}\" y=\"{}\"", svg_number(x), svg_number(y));
    if (upwards) place = fmt::format("transform=\"translate({} {}) rotate(-90)\"", svg_number(x), svg_number(y));
    if (item.anchor > 0) place += item.anchor < 1 ? " text-anchor=\"middle\"" : " text-anchor=\"end\"";
    // Leading and doubled spaces are part of a token.
    const bool spaced =
        item.text.starts_with(' ') || item.text.ends_with(' ') || item.text.find("  ") != std::string::npos;
    out_ << fmt::format("<text {} class=\"{}\" font-size=\"{}\" {}{}>{}</text>\n", place, svg_class(item.role),
                        svg_number(item.size), svg_paint("fill", item.color), spaced ? " xml:space=\"preserve\"" : "",
                        xml_text(item.text));
  }

  void bar(const BarItem& item) override {
    constexpr int kStops = 32;
    const int id = ++bars_;
    out_ << fmt::format("<linearGradient id=\"bar{}\" x1=\"0\" y1=\"{}\" x2=\"{}\" y2=\"0\">", id, item.upright ? 1 : 0,
                        item.upright ? 0 : 1);
    for (int k = 0; k <= kStops; ++k) {
      const double share = static_cast<double>(k) / kStops;
      out_ << fmt::format("<stop offset=\"{}\" stop-color=\"{}\"/>", share, svg_color(color_at(item.map, share)));
    }
    out_ << fmt::format(
        "</linearGradient>\n<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"url(#bar{})\"/>\n", item.x,
        item.y, item.width, item.height, id);
  }

  void map(const MapItem& item) override {
    if (cells_) {
      draw_cells(item);
    } else {
      embed(item);
    }
    ++maps_;
    if (progress_) progress_(static_cast<double>(maps_) / map_count_);
  }

 private:
  void embed(const MapItem& item) {
    HeatmapPainter painter(item.spec);
    PictureRows rows;
    rows.width = item.spec.width;
    rows.height = item.spec.height;
    rows.rows_at_once = painter.rows_at_once();
    rows.load = [&](Range part) { painter.load(static_cast<int>(part.begin), static_cast<int>(part.end)); };
    rows.draw = [&](Range part, Image& into) {
      painter.draw(static_cast<int>(part.begin), static_cast<int>(part.end), into.pixels.data(), into.width,
                   into.width);
    };
    out_ << fmt::format(
        "<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" preserveAspectRatio=\"none\" "
        "style=\"image-rendering:pixelated\" xlink:href=\"data:image/png;base64,",
        item.x, item.y, item.spec.width, item.spec.height);
    Base64Buffer buffer(out_);
    std::ostream bytes(&buffer);
    bytes.exceptions(std::ios::badbit | std::ios::failbit);
    write_png(bytes, rows, {}, cancel_, {});
    buffer.finish();
    out_ << "\"/>\n";
  }

  Look result_of(const HeatmapSpec& spec, const ValueScale& scale, float value, bool hidden) const {
    if (std::isnan(value)) return {Look::Kind::nan, kNanColor};
    if (hidden) return {Look::Kind::hidden, palette(spec.theme).well};
    if (std::isinf(value)) return {value > 0 ? Look::Kind::above : Look::Kind::below, kNanColor};
    return {Look::Kind::color, color_table(spec.map)[static_cast<std::size_t>(scale.entry(value))]};
  }

  // A run of cells that look the same, the first and the marks of each.
  void draw_run(const MapItem& item, const Look& result, std::int64_t i, Range columns, std::string& marks) {
    const HeatmapSpec& spec = item.spec;
    const auto edge_x = [&](std::int64_t j) {
      return item.x + std::lround(static_cast<double>(j) * spec.width / spec.columns);
    };
    const auto edge_y = [&](std::int64_t k) {
      return item.y + std::lround(static_cast<double>(k) * spec.height / spec.rows);
    };
    const long x = edge_x(columns.begin), y = edge_y(i);
    const long width = edge_x(columns.end) - x, height = edge_y(i + 1) - y;
    const double cell_width = spec.width / spec.columns, cell_height = spec.height / spec.rows;
    const double cell = std::min(cell_width, cell_height);
    const bool marked = cell >= 8 * spec.pixel_scale;
    const std::string place = fmt::format("x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", x, y, width, height);
    out_ << fmt::format("<rect {} fill=\"{}\"/>\n", place, svg_color(result.color));
    if (!marked || result.kind == Look::Kind::color) return;
    if (result.kind == Look::Kind::hidden) {
      out_ << fmt::format("<rect {} fill=\"url(#hatch)\"/>\n", place);
      return;
    }
    for (std::int64_t j = columns.begin; j < columns.end; ++j) {
      const double left = static_cast<double>(edge_x(j)), top = static_cast<double>(y);
      if (result.kind == Look::Kind::nan) {
        marks += fmt::format("<path d=\"M{0} {1}L{2} {3}M{0} {3}L{2} {1}\"/>", svg_number(left), svg_number(top),
                             svg_number(left + cell_width), svg_number(top + cell_height));
        continue;
      }
      // 0.406 of the cell high and 0.55 wide, its tip up for +inf.
      const double up = result.kind == Look::Kind::above ? 1 : -1;
      const double middle_x = left + cell_width / 2, middle_y = top + cell_height / 2;
      marks += fmt::format("<path d=\"M{} {}l{} {}h-{}z\" fill=\"#ffffff\"/>", svg_number(middle_x),
                           svg_number(middle_y - up * 0.203 * cell), svg_number(0.275 * cell),
                           svg_number(up * 0.406 * cell), svg_number(0.55 * cell));
    }
  }

  // Over the cells, as the last pixels of each.
  void draw_grid(const MapItem& item) {
    const HeatmapSpec& spec = item.spec;
    const double cell_width = spec.width / spec.columns, cell_height = spec.height / spec.rows;
    if (!spec.grid || std::min(cell_width, cell_height) < 12 * spec.pixel_scale) return;
    const int line = std::max(1, static_cast<int>(std::floor(spec.pixel_scale + 0.5)));
    std::string path;
    for (std::int64_t j = 1; j <= static_cast<std::int64_t>(spec.columns); ++j) {
      path += fmt::format("M{} {}h{}v{}h-{}z", item.x + std::lround(static_cast<double>(j) * cell_width) - line, item.y,
                          line, spec.height, line);
    }
    for (std::int64_t i = 1; i <= static_cast<std::int64_t>(spec.rows); ++i) {
      path +=
          fmt::format("M{} {}h{}v{}h-{}z", item.x, item.y + std::lround(static_cast<double>(i) * cell_height) - line,
                      spec.width, line, spec.width);
    }
    out_ << fmt::format("<path d=\"{}\" fill=\"{}\"/>\n", path, svg_color(palette(spec.theme).panel));
  }

  void draw_cells(const MapItem& item) {
    const HeatmapSpec& spec = item.spec;
    const std::int64_t columns = spec.matrix.dim(1), rows = spec.matrix.dim(0);
    std::vector<float> values(static_cast<std::size_t>(columns));
    std::vector<std::uint8_t> hidden(static_cast<std::size_t>(columns), 0);
    const ValueScale shared = value_scale(spec.range);
    out_ << "<g shape-rendering=\"crispEdges\">\n";
    std::string marks;
    for (std::int64_t i = 0; i < rows; ++i) {
      cancel_.check();
      spec.matrix.read(Region{{i, i + 1}, {0, columns}}, values);
      if (spec.mask) spec.mask->hidden.read_row(spec.batch, spec.head, i, hidden);
      const ValueScale scale = spec.range.per_row ? row_scales(spec, i, i + 1).front() : shared;
      Range run{0, 0};
      Look result;
      for (std::int64_t j = 0; j < columns; ++j) {
        const auto at = static_cast<std::size_t>(j);
        const Look next = result_of(spec, scale, values[at], hidden[at] != 0);
        if (j > 0 && next == result) {
          run.end = j + 1;
          continue;
        }
        if (j > 0) draw_run(item, result, i, run, marks);
        result = next;
        run = {j, j + 1};
      }
      if (columns > 0) draw_run(item, result, i, run, marks);
    }
    draw_grid(item);
    out_ << "</g>\n";
    if (!marks.empty()) {
      out_ << fmt::format("<g fill=\"none\" stroke=\"#ffffff\" stroke-width=\"{}\">{}</g>\n",
                          svg_number(1.5 * spec.pixel_scale), marks);
    }
  }

  std::ostream& out_;
  const FigurePlan& plan_;
  const bool cells_;  // drawn one by one
  const int map_count_;
  const CancelToken& cancel_;
  const std::function<void(double)>& progress_;
  int bars_ = 0, maps_ = 0;
};

}  // namespace

void write_svg(std::ostream& out, const FigurePlan& plan, const std::map<std::string, std::string>& recipe,
               const CancelToken& cancel, const std::function<void(double)>& progress) {
  std::int64_t cells = 0;
  int maps = 0;
  bool any_pooled = false;
  const HeatmapSpec* first = nullptr;
  for (const auto& item : plan.items) {
    if (const auto* map = std::get_if<MapItem>(&item)) {
      ++maps;
      cells += map->spec.matrix.size();
      any_pooled = any_pooled || pooled(map->spec);
      if (first == nullptr) first = &map->spec;
    }
  }
  const bool drawn = cells <= kMostDrawnCells && !any_pooled;
  std::string description = plan.description;
  if (!drawn) {
    description += fmt::format(" \u00b7 {} cells{}: the maps are images, pixel by pixel.", cells,
                               any_pooled ? ", several a pixel" : "");
  }
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  out << fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" version=\"1.1\" "
      "width=\"{0}\" height=\"{1}\" viewBox=\"0 0 {0} {1}\" role=\"img\">\n",
      plan.width, plan.height);
  out << "<title>" << xml_text(plan.title) << "</title>\n<desc>" << xml_text(description) << "</desc>\n";
  const auto json = recipe.find("headscope");
  if (json != recipe.end()) out << svg_metadata(json->second) << '\n';
  out << "<style>.w{font-family:Inter,'Helvetica Neue',Arial,'DejaVu Sans',sans-serif}"
         ".n{font-family:'JetBrains Mono','DejaVu Sans Mono',Menlo,Consolas,monospace}.b{font-weight:600}</style>\n";
  if (first != nullptr && drawn) {
    const int spacing = std::max(2, static_cast<int>(std::floor(5 * first->pixel_scale + 0.5)));
    const double line = std::max(1.0, std::floor(first->pixel_scale + 0.5));
    // The diagonal of each tile and the two corners that its neighbours' diagonals reach into.
    out << fmt::format(
        "<defs><pattern id=\"hatch\" patternUnits=\"userSpaceOnUse\" width=\"{0}\" height=\"{0}\">"
        "<path d=\"M-1 1L1 -1M0 {0}L{0} 0M{1} {2}L{2} {1}\" stroke=\"{3}\" stroke-width=\"{4}\"/></pattern></defs>\n",
        spacing, spacing - 1, spacing + 1, svg_color(palette(first->theme).hatch), svg_number(line * 0.7071));
  }
  out << fmt::format("<rect width=\"{}\" height=\"{}\" fill=\"{}\"/>\n", plan.width, plan.height,
                     svg_color(plan.ground));
  SvgOutput output(out, plan, drawn, maps, cancel, progress);
  draw_plan(plan, output, cancel);
  out << "</svg>\n";
  if (progress) progress(1);
}

}  // namespace headscope
