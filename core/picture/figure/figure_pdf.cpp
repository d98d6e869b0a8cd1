// Putting a laid out figure onto a page of PDF.
#include <cairo-pdf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/io/pdf.h"
#include "core/picture/figure/figure_cells.h"
#include "core/picture/figure/figure_output.h"
#include "core/picture/figure/figure_pdf_text.h"

namespace headscope {

namespace {

constexpr double kPointsAnInch = 72, kScreenPixelsAnInch = 96;

struct SurfaceDeleter {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
};
struct ContextDeleter {
  void operator()(cairo_t* page) const { cairo_destroy(page); }
};
using Surface = std::unique_ptr<cairo_surface_t, SurfaceDeleter>;
using Context = std::unique_ptr<cairo_t, ContextDeleter>;

class PdfOutput : public FigureOutput {
 public:
  PdfOutput(cairo_t* page, PdfText& words, const FigurePlan& plan, const PlanMaps& maps, const CancelToken& cancel,
            const std::function<void(double)>& progress)
      : page_(page), plan_(plan), maps_(maps), cancel_(cancel), progress_(progress), words_(words) {}

  Range rows() const override { return {0, plan_.height}; }

  void rect(const RectItem& item) override {
    ink(item.color);
    cairo_rectangle(page_, item.x, item.y, item.width, item.height);
    cairo_fill(page_);
  }

  void corner(const CornerItem& item) override {
    ink(item.color);
    cairo_move_to(page_, item.x, item.y);
    cairo_rel_line_to(page_, item.side, 0);
    cairo_rel_line_to(page_, -item.side, item.side);
    cairo_close_path(page_);
    cairo_fill(page_);
  }

  void curve(const CurveItem& item) override {
    ink(item.color);
    const double middle = (item.x0 + item.x1) / 2;
    cairo_move_to(page_, item.x0, item.y0);
    cairo_curve_to(page_, middle, item.y0, middle, item.y1, item.x1, item.y1);
    cairo_set_line_width(page_, item.width);
    cairo_stroke(page_);
  }

  void text(const TextItem& item) override { words_.show(item); }

  void bar(const BarItem& item) override {
    constexpr int kStops = 32;
    cairo_pattern_t* const colors = item.upright ? cairo_pattern_create_linear(0, item.y + item.height, 0, item.y)
                                                 : cairo_pattern_create_linear(item.x, 0, item.x + item.width, 0);
    for (int k = 0; k <= kStops; ++k) {
      const double share = static_cast<double>(k) / kStops;
      const Rgba color = color_at(item.map, share);
      cairo_pattern_add_color_stop_rgb(colors, share, color.r / 255.0, color.g / 255.0, color.b / 255.0);
    }
    cairo_set_source(page_, colors);
    cairo_rectangle(page_, item.x, item.y, item.width, item.height);
    cairo_fill(page_);
    cairo_pattern_destroy(colors);
  }

  void image(const ImageItem& item) override { embed(item.x, item.y, *item.pixels); }

  void map(const MapItem& item) override {
    if (maps_.drawn) {
      draw_cells(item);
    } else {
      embed(item.x, item.y, drawn_whole(map_rows(item)));
    }
    ++drawn_;
    if (progress_) progress_(static_cast<double>(drawn_) / maps_.count);
  }

 private:
  void ink(Rgba color) {
    cairo_set_source_rgba(page_, color.r / 255.0, color.g / 255.0, color.b / 255.0, color.a / 255.0);
  }

  void draw_cells(const MapItem& item) {
    const HeatmapSpec& spec = item.spec;
    const bool grid = !grid_of(item).empty();
    std::vector<CellMark> marks;
    visit_cells(item, cancel_, [&](const CellRun& run) {
      ink(run.look.color);
      // Viewers blend edges that meet, which shows as a thin line: a cell reaches under its neighbours to come.
      const bool inner_x = !grid && run.columns.end < static_cast<std::int64_t>(spec.columns);
      const bool inner_y = !grid && run.row + 1 < static_cast<std::int64_t>(spec.rows);
      cairo_rectangle(page_, static_cast<double>(run.x), static_cast<double>(run.y),
                      static_cast<double>(run.width) + (inner_x ? 0.5 : 0),
                      static_cast<double>(run.height) + (inner_y ? 0.5 : 0));
      cairo_fill(page_);
      if (run.look.kind == CellLook::Kind::hidden && has_marks(spec)) draw_hatch(run, hatch_of(spec));
      const std::vector<CellMark> own = marks_of(item, run);
      marks.insert(marks.end(), own.begin(), own.end());
    });
    for (const RectItem& line : grid_of(item)) rect(line);
    for (const CellMark& mark : marks) draw_mark(mark, 1.5 * spec.pixel_scale);
  }

  void draw_hatch(const CellRun& run, const Hatch& hatch) {
    const double left = static_cast<double>(run.x), top = static_cast<double>(run.y);
    const double right = left + static_cast<double>(run.width), bottom = top + static_cast<double>(run.height);
    cairo_save(page_);
    cairo_rectangle(page_, left, top, right - left, bottom - top);
    cairo_clip(page_);
    ink(hatch.color);
    cairo_set_line_width(page_, hatch.thickness);
    const double spacing = hatch.spacing;
    for (double sum = std::floor((left + top) / spacing) * spacing; sum <= right + bottom + spacing; sum += spacing) {
      cairo_move_to(page_, sum - top + 1, top - 1);
      cairo_line_to(page_, sum - bottom - 1, bottom + 1);
    }
    cairo_stroke(page_);
    cairo_restore(page_);
  }

  void draw_corner(const CellMark& mark, double side, Rgba color) {
    ink(color);
    cairo_move_to(page_, mark.left, mark.top);
    cairo_rel_line_to(page_, side, 0);
    cairo_rel_line_to(page_, -side, side);
    cairo_close_path(page_);
    cairo_fill(page_);
  }

  void draw_mark(const CellMark& mark, double thickness) {
    if (mark.corner > 0) {
      draw_corner(mark, mark.corner + mark.edge, {0, 0, 0, 255});
      return draw_corner(mark, mark.corner, {255, 255, 255, 255});
    }
    ink({255, 255, 255, 255});
    if (mark.cross) {
      cairo_set_line_width(page_, thickness);
      cairo_move_to(page_, mark.left, mark.top);
      cairo_rel_line_to(page_, mark.width, mark.height);
      cairo_move_to(page_, mark.left, mark.top + mark.height);
      cairo_rel_line_to(page_, mark.width, -mark.height);
      cairo_stroke(page_);
      return;
    }
    cairo_move_to(page_, mark.tip_x, mark.tip_y);
    cairo_rel_line_to(page_, mark.base / 2, mark.rise);
    cairo_rel_line_to(page_, -mark.base, 0);
    cairo_close_path(page_);
    cairo_fill(page_);
  }

  void embed(int left, int top, const Image& image) {
    const int stride = cairo_format_stride_for_width(CAIRO_FORMAT_RGB24, image.width);
    const Surface picture(cairo_image_surface_create(CAIRO_FORMAT_RGB24, image.width, image.height));
    if (cairo_surface_status(picture.get()) != CAIRO_STATUS_SUCCESS)
      throw Error("there is no memory for an image of the figure");
    unsigned char* const bytes = cairo_image_surface_get_data(picture.get());
    for (int y = 0; y < image.height; ++y) {
      auto* const row = reinterpret_cast<std::uint32_t*>(bytes + static_cast<std::ptrdiff_t>(y) * stride);
      for (int x = 0; x < image.width; ++x) {
        const Rgba& pixel = image.at(x, y);
        row[x] = (static_cast<std::uint32_t>(pixel.r) << 16) | (static_cast<std::uint32_t>(pixel.g) << 8) | pixel.b;
      }
    }
    cairo_surface_mark_dirty(picture.get());
    cairo_set_source_surface(page_, picture.get(), left, top);
    cairo_pattern_set_filter(cairo_get_source(page_), CAIRO_FILTER_NEAREST);
    cairo_rectangle(page_, left, top, image.width, image.height);
    cairo_fill(page_);
  }

  cairo_t* page_;
  const FigurePlan& plan_;
  const PlanMaps& maps_;
  const CancelToken& cancel_;
  const std::function<void(double)>& progress_;
  PdfText& words_;  // of all pages, so that each font is embedded once
  int drawn_ = 0;
};

// The width of the page in points.
double page_width(const FigurePlan& plan) {
  if (plan.paper_width) return inches_of(*plan.paper_width) * kPointsAnInch;
  return plan.width * kPointsAnInch / (plan.pixels_per_inch > 0 ? plan.pixels_per_inch : kScreenPixelsAnInch);
}

cairo_status_t append(void* to, const unsigned char* bytes, unsigned length) {
  static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(bytes), length);
  return CAIRO_STATUS_SUCCESS;
}

void describe(cairo_surface_t* surface, const FigurePlan& plan) {
  cairo_pdf_surface_restrict_to_version(surface, CAIRO_PDF_VERSION_1_4);
  cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_TITLE, plan.title.c_str());
  cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_SUBJECT, plan.description.c_str());
  cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATOR, "Headscope");
  // The same figure is the same bytes, whenever it is written.
  cairo_pdf_surface_set_metadata(surface, CAIRO_PDF_METADATA_CREATE_DATE, "2000-01-01T00:00:00Z");
}

double page_height(const FigurePlan& plan) {
  return plan.height * page_width(plan) / plan.width;
}

void set_options(cairo_t* page) {
  cairo_font_options_t* const options = cairo_font_options_create();
  cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF);
  cairo_set_font_options(page, options);
  cairo_font_options_destroy(options);
}

void draw_page(cairo_t* page, PdfText& words, const FigurePlan& plan, const CancelToken& cancel,
               const std::function<void(double)>& progress) {
  cairo_save(page);
  const double scale = page_width(plan) / plan.width;
  cairo_scale(page, scale, scale);
  const PlanMaps maps = maps_of(plan);
  PdfOutput output(page, words, plan, maps, cancel, progress);
  if (plan.ground.a == 255) output.rect({0, 0, plan.width, plan.height, plan.ground});
  draw_plan(plan, output, cancel);
  cairo_show_page(page);
  cairo_restore(page);
}

// The document of these pages, at least one, with the title and the description of the first.
std::string pdf_bytes(std::span<const FigurePlan> pages, const CancelToken& cancel,
                      const std::function<void(double)>& progress) {
  std::string bytes;
  const Surface surface(
      cairo_pdf_surface_create_for_stream(append, &bytes, page_width(pages.front()), page_height(pages.front())));
  describe(surface.get(), pages.front());
  const Context page(cairo_create(surface.get()));
  set_options(page.get());
  PdfText words(page.get());
  for (std::size_t k = 0; k < pages.size(); ++k) {
    cancel.check();
    cairo_pdf_surface_set_size(surface.get(), page_width(pages[k]), page_height(pages[k]));
    draw_page(page.get(), words, pages[k], cancel, pages.size() == 1 ? progress : std::function<void(double)>());
    if (progress && pages.size() > 1) progress(static_cast<double>(k + 1) / static_cast<double>(pages.size()));
  }
  cairo_surface_finish(surface.get());
  const cairo_status_t status =
      cairo_status(page.get()) != CAIRO_STATUS_SUCCESS ? cairo_status(page.get()) : cairo_surface_status(surface.get());
  if (status != CAIRO_STATUS_SUCCESS) {
    throw Error(fmt::format("the PDF cannot be made: {}", cairo_status_to_string(status)));
  }
  return bytes;
}

}  // namespace

void write_pdf(std::ostream& out, const FigurePlan& plan, const std::map<std::string, std::string>& recipe,
               const CancelToken& cancel, const std::function<void(double)>& progress) {
  std::string bytes = pdf_bytes({&plan, 1}, cancel, progress);
  const auto json = recipe.find("headscope");
  out << (json == recipe.end() ? bytes : pdf_with_recipe(std::move(bytes), json->second));
  if (progress) progress(1);
}

void write_pdf_pages(std::ostream& out, std::span<const FigurePlan> pages, const CancelToken& cancel,
                     const std::function<void(double)>& progress) {
  out << pdf_bytes(pages, cancel, progress);
}

}  // namespace headscope
