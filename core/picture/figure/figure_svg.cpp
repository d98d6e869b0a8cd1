// Putting a laid out figure into an SVG document.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "core/base/grouped_digits.h"
#include "core/io/base64.h"
#include "core/io/png.h"
#include "core/io/svg.h"
#include "core/picture/figure/figure_cells.h"
#include "core/picture/figure/figure_output.h"
#include "core/picture/figure/figure_svg_text.h"

namespace headscope {

namespace {

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

  void hatch(const HatchItem& item) override {
    const std::string place =
        fmt::format("x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", item.x, item.y, item.width, item.height);
    out_ << fmt::format("<rect {} fill=\"{}\"/>\n<rect {} fill=\"url(#hatch)\"/>\n", place, svg_color(item.well),
                        place);
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
    const double width = drawn_width(item.text, item.role, item.size);
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

  void image(const ImageItem& item) override { embed(item.x, item.y, rows_of(*item.pixels)); }

  void map(const MapItem& item) override {
    if (cells_) {
      draw_cells(item);
    } else {
      embed(item.x, item.y, map_rows(item));
    }
    ++maps_;
    if (progress_) progress_(static_cast<double>(maps_) / map_count_);
  }

 private:
  void embed(int x, int y, const PictureRows& rows) {
    out_ << fmt::format(
        "<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" preserveAspectRatio=\"none\" "
        "style=\"image-rendering:pixelated\" xlink:href=\"data:image/png;base64,",
        x, y, rows.width, rows.height);
    Base64Buffer buffer(out_);
    std::ostream bytes(&buffer);
    bytes.exceptions(std::ios::badbit | std::ios::failbit);
    write_png(bytes, rows, {}, cancel_, {});
    buffer.finish();
    out_ << "\"/>\n";
  }

  void draw_cells(const MapItem& item) {
    const HeatmapSpec& spec = item.spec;
    out_ << "<g shape-rendering=\"crispEdges\">\n";
    std::string marks;
    visit_cells(item, cancel_, [&](const CellRun& run) { draw_run(item, run, marks); });
    std::string path;
    Rgba color;
    for (const RectItem& line : grid_of(item)) {
      path += fmt::format("M{} {}h{}v{}h-{}z", line.x, line.y, line.width, line.height, line.width);
      color = line.color;
    }
    if (!path.empty()) out_ << fmt::format("<path d=\"{}\" fill=\"{}\"/>\n", path, svg_color(color));
    out_ << "</g>\n";
    if (!marks.empty()) {
      out_ << fmt::format("<g fill=\"none\" stroke=\"#ffffff\" stroke-width=\"{}\">{}</g>\n",
                          svg_number(1.5 * spec.pixel_scale), marks);
    }
  }

  // A run of cells that look the same, and the marks of each.
  void draw_run(const MapItem& item, const CellRun& run, std::string& marks) {
    const std::string place =
        fmt::format("x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"", run.x, run.y, run.width, run.height);
    out_ << fmt::format("<rect {} fill=\"{}\"/>\n", place, svg_color(run.look.color));
    if (run.look.kind == CellLook::Kind::hidden && has_marks(item.spec)) {
      out_ << fmt::format("<rect {} fill=\"url(#hatch)\"/>\n", place);
    }
    for (const CellMark& mark : marks_of(item, run)) {
      if (mark.corner > 0) {
        const std::string triangle = "<path d=\"M{0} {1}h{2}l-{2} {2}z\" fill=\"#{3}\" stroke=\"none\"/>";
        marks += fmt::format(fmt::runtime(triangle), svg_number(mark.left), svg_number(mark.top),
                             svg_number(mark.corner + mark.edge), "000000");
        marks += fmt::format(fmt::runtime(triangle), svg_number(mark.left), svg_number(mark.top),
                             svg_number(mark.corner), "ffffff");
      } else if (mark.cross) {
        marks +=
            fmt::format("<path d=\"M{0} {1}L{2} {3}M{0} {3}L{2} {1}\"/>", svg_number(mark.left), svg_number(mark.top),
                        svg_number(mark.left + mark.width), svg_number(mark.top + mark.height));
      } else {
        marks += fmt::format("<path d=\"M{} {}l{} {}h-{}z\" fill=\"#ffffff\"/>", svg_number(mark.tip_x),
                             svg_number(mark.tip_y), svg_number(mark.base / 2), svg_number(mark.rise),
                             svg_number(mark.base));
      }
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

// Width and height: in pixels, or on paper as wide as asked for.
std::string extent_of(const FigurePlan& plan) {
  if (plan.pixels_per_inch <= 0) return fmt::format("width=\"{}\" height=\"{}\"", plan.width, plan.height);
  const PaperLength width =
      plan.paper_width.value_or(PaperLength{plan.width / plan.pixels_per_inch * 25.4, LengthUnit::mm});
  const PaperLength height{width.amount * plan.height / plan.width, width.unit};
  const auto text = [](PaperLength length) {
    return svg_number(length.amount) + length_text({0, length.unit}).substr(1);
  };
  return fmt::format("width=\"{}\" height=\"{}\"", text(width), text(height));
}

}  // namespace

void write_svg(std::ostream& out, const FigurePlan& plan, const std::map<std::string, std::string>& recipe,
               const CancelToken& cancel, const std::function<void(double)>& progress) {
  const PlanMaps maps = maps_of(plan);
  std::string description = plan.description;
  if (!maps.drawn) {
    description += fmt::format(" \u00b7 {} cells{}: the maps are images, pixel by pixel.", grouped_digits(maps.cells),
                               maps.pooled ? ", several a pixel" : "");
  }
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
  out << fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" version=\"1.1\" "
      "{2} viewBox=\"0 0 {0} {1}\" role=\"img\">\n",
      plan.width, plan.height, extent_of(plan));
  out << "<title>" << xml_text(plan.title) << "</title>\n<desc>" << xml_text(description) << "</desc>\n";
  const auto json = recipe.find("headscope");
  if (json != recipe.end()) out << svg_metadata(json->second) << '\n';
  out << "<style>.w{font-family:Inter,'Helvetica Neue',Arial,'DejaVu Sans',sans-serif}"
         ".n{font-family:'JetBrains Mono','DejaVu Sans Mono',Menlo,Consolas,monospace}.b{font-weight:600}</style>\n";
  if (maps.drawn) out << svg_hatch(plan);
  if (plan.ground.a == 255) {
    out << fmt::format("<rect width=\"{}\" height=\"{}\" fill=\"{}\"/>\n", plan.width, plan.height,
                       svg_color(plan.ground));
  }
  SvgOutput output(out, plan, maps.drawn, maps.count, cancel, progress);
  draw_plan(plan, output, cancel);
  out << "</svg>\n";
  if (progress) progress(1);
}

}  // namespace headscope
