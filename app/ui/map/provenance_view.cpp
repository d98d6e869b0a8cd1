#include "app/ui/map/provenance_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "app/session/settings.h"
#include "app/ui/imgui_compat.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

// What the picture of concat shows where its cells have an origin.
struct ConcatPicture {
  bool shows_values = false;  // else where each value came from
};

Provenance provenance_at(const Trace& trace, std::int64_t row, std::int64_t feature) {
  return provenance_of(trace.request.merge, trace.num_heads(), trace.query_len(), trace.inputs->value_head_dim, row,
                       feature);
}

std::uint64_t picture_version(const PanelData& data, const CellGrid& grid, std::int64_t feature0, Theme theme) {
  std::uint64_t hash =
      data.version() * 1000003u + static_cast<std::uint64_t>(feature0) + 7919u * static_cast<std::uint64_t>(theme);
  for (const double part : {static_cast<double>(grid.area.width()), static_cast<double>(grid.area.height()), grid.row0,
                            grid.column0, grid.cell_width, grid.cell_height}) {
    hash = hash * 0x9E3779B97F4A7C15u + std::hash<double>{}(part) + 1;
  }
  return hash | 1u;  // never 0, which is "not made yet"
}

// "h2 t7", smaller where it has to be, or "t7".
void draw_block_words(Ui& ui, const Rect& rect, const Provenance& from, Rgba ink) {
  const std::string label = fmt::format("h{} t{}", from.head, from.position);
  for (const Type type : {Type::mono11, Type::mono10}) {
    if (type == Type::mono11 && rect.height() < ui.px(15)) continue;
    if (text_width(ui, type, label) + ui.px(2) > rect.width()) continue;
    text_in(ui, rect, type, ink, label, 0.5f);
    return;
  }
  const std::string token = fmt::format("t{}", from.position);
  if (text_width(ui, Type::mono10, token) + ui.px(2) <= rect.width()) text_in(ui, rect, Type::mono10, ink, token, 0.5f);
}

}  // namespace

bool shows_provenance(const Ui& ui, const Trace& trace) {
  if (trace.request.merge != Merge::direct) return false;
  const ConcatPicture* picture = ui.state.panels.find<ConcatPicture>();
  return picture == nullptr || !picture->shows_values;
}

void show_provenance(Ui& ui, bool on) {
  ui.state.panels.get<ConcatPicture>().shows_values = !on;
}

Image provenance_picture(const Trace& trace, const CellGrid& grid, std::int64_t feature0, Rgba gap) {
  const int width = static_cast<int>(grid.area.width());
  const int height = static_cast<int>(grid.area.height());
  Image image(width, height, gap);
  const std::int64_t block = trace.inputs->value_head_dim;
  const bool gaps_across = static_cast<double>(block) * grid.cell_width >= 6;
  const bool gaps_down = grid.cell_height >= 6;
  const auto cell_under = [](double start, double cell, int pixel, std::int64_t count) {
    return std::clamp<std::int64_t>(static_cast<std::int64_t>(std::floor(start + (pixel + 0.5) / cell)), 0, count - 1);
  };
  std::int64_t previous_row = -1;
  for (int y = 0; y < height; ++y) {
    const std::int64_t row = cell_under(grid.row0, grid.cell_height, y, grid.rows);
    const bool last_line = y + 1 < height && cell_under(grid.row0, grid.cell_height, y + 1, grid.rows) != row;
    if (gaps_down && last_line) continue;
    if (row == previous_row) {
      std::copy_n(&image.at(0, y - 1), width, &image.at(0, y));
      continue;
    }
    previous_row = row;
    std::int64_t of_block = -1;
    Rgba color = gap;
    for (int x = 0; x < width; ++x) {
      const std::int64_t feature = feature0 + cell_under(grid.column0, grid.cell_width, x, grid.columns);
      if (feature / block != of_block) {
        of_block = feature / block;
        const Provenance from = provenance_at(trace, row, feature);
        color = provenance_color(from.head, from.position, trace.query_len());
      }
      const bool last = x + 1 < width &&
                        (feature0 + cell_under(grid.column0, grid.cell_width, x + 1, grid.columns)) / block != of_block;
      if (!(gaps_across && last)) image.at(x, y) = color;
    }
  }
  return image;
}

void draw_provenance(Ui& ui, PanelData& data, const std::string& name, const CellGrid& grid, std::int64_t feature0) {
  if (grid.empty()) return;
  const Trace& trace = data.trace();
  PanelData::Picture& picture = data.picture("provenance/" + name);
  const std::uint64_t version = picture_version(data, grid, feature0, ui.settings.theme);
  if (picture.version != version) {
    picture.version = version;
    picture.pixels = provenance_picture(trace, grid, feature0, ui.colors.panel);
  }
  const TextureId texture = ui.textures.image(std::hash<std::string>{}("provenance/" + name), version, picture.pixels);
  if (texture != 0) canvas().AddImage(compat::texture(texture), grid.area.min, grid.area.max);

  // Words and corners, where a block has room for them.
  const std::int64_t block = trace.inputs->value_head_dim;
  const double block_width = static_cast<double>(block) * grid.cell_width;
  if (grid.cell_height < ui.px(12) || block_width < ui.px(12)) return;
  const Range rows = grid.row_range();
  const Range columns = grid.column_range();
  canvas().PushClipRect(grid.area.min, grid.area.max, true);
  for (std::int64_t row = rows.begin; row < rows.end; ++row) {
    for (std::int64_t feature = (feature0 + columns.begin) / block * block; feature < feature0 + columns.end;
         feature += block) {
      const Provenance from = provenance_at(trace, row, feature);
      const double x0 = grid.area.min.x + (static_cast<double>(feature - feature0) - grid.column0) * grid.cell_width;
      const double y0 = grid.area.min.y + (static_cast<double>(row) - grid.row0) * grid.cell_height;
      const Rect rect{
          {static_cast<float>(std::round(x0)), static_cast<float>(std::round(y0))},
          {static_cast<float>(std::round(x0 + block_width)), static_cast<float>(std::round(y0 + grid.cell_height))}};
      draw_block_words(ui, rect, from, ink_on(provenance_color(from.head, from.position, trace.query_len())));
      if (from.position > row) {
        const float side = ui.px(6);
        canvas().AddTriangleFilled({rect.max.x - 1 - side, rect.min.y}, {rect.max.x - 1, rect.min.y},
                                   {rect.max.x - 1, rect.min.y + side}, IM_COL32_WHITE);
      }
    }
  }
  canvas().PopClipRect();
}

std::string merge_sentence(const MergeReport& report, std::int64_t heads) {
  const auto count = [](std::int64_t number, const char* one) {
    return fmt::format("{} {}{}", number, one, number == 1 ? "" : "s");
  };
  std::string sentence;
  if (report.tokens_per_row == 1 && report.heads_per_row == heads) {
    sentence = fmt::format("Each row holds its own token of {}.", count(heads, "head"));
  } else {
    sentence =
        fmt::format("A row mixes up to {} of {} instead of 1 token of {}.", count(report.tokens_per_row, "token"),
                    count(report.heads_per_row, "head"), count(heads, "head"));
  }
  if (report.future_leaks) {
    sentence += fmt::format(" The future leaks: row {} reads token {}.", report.first_leaking_row, report.leaked_token);
  }
  return sentence;
}

}  // namespace headscope::ui
