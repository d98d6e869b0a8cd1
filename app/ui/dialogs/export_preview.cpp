#include "app/ui/dialogs/export_preview.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/session/folder_listing.h"
#include "app/ui/export_dialog_state.h"
#include "app/ui/imgui_compat.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

std::string forecast_sentence(const ExportDialogState& state) {
  const ExportForecast& forecast = state.forecast;
  const std::string files = forecast.files == 1 ? "one file" : fmt::format("{} files with a manifest", forecast.files);
  if (state.choice.subject == ExportSubject::window) return "one file, the window as it is, drawn at this scale";
  return fmt::format("{}, {}{}", files, forecast.exact ? "" : "about ", bytes_text(forecast.bytes));
}

}  // namespace

void draw_export_warning(Ui& ui, const ExportDialogState& state, const Rect& form, float& y) {
  const bool refused = !state.forecast.problem.empty();
  if (!refused && !state.forecast.replaces) return;
  const Rect box{{form.min.x + ui.px(84), y}, {form.max.x, y + ui.px(34)}};
  const float radius = ui.px(size::radius_field);
  fill(box, refused ? ui.colors.bad_ground : ui.colors.warn_ground, radius);
  outline(ui, box, refused ? ui.colors.bad : ui.colors.warn, 1, radius);
  draw_icon(ui, Icon::warning, {box.min.x + ui.px(16), box.center().y}, ui.px(14),
            refused ? ui.colors.bad : ui.colors.warn);
  text_in(ui, {{box.min.x + ui.px(30), box.min.y}, {box.max.x - ui.px(8), box.max.y}}, Type::words12, ui.colors.text,
          refused ? state.forecast.problem : "A file of this name exists and is replaced.");
  y = box.max.y + ui.px(13);
}

void draw_export_preview(Ui& ui, const ExportDialogState& state, const Rect& area) {
  if (area.height() < ui.px(40)) return;
  text_in(ui, {area.min, {area.max.x, area.min.y + ui.px(24)}}, Type::words12, ui.colors.text2, "preview");
  const Rect box{{area.min.x + ui.px(84), area.min.y}, area.max};
  fill(box, ui.colors.well, ui.px(size::radius_field));
  const float pad = ui.px(10);
  float facts = box.min.x + pad;
  if (state.preview.width > 0) {
    const float room_x = (box.width() - 2 * pad) * 0.55f, room_y = box.height() - 2 * pad;
    const float fit = std::min(
        {room_x / static_cast<float>(state.preview.width), room_y / static_cast<float>(state.preview.height), 1.0f});
    const ImVec2 extent{std::floor(static_cast<float>(state.preview.width) * fit),
                        std::floor(static_cast<float>(state.preview.height) * fit)};
    const ImVec2 at{std::floor(box.min.x + pad), std::floor(box.center().y - extent.y / 2)};
    const TextureId id = ui.textures.image(0xE4907u, state.preview_version, state.preview);
    if (id != 0) canvas().AddImage(compat::texture(id), at, {at.x + extent.x, at.y + extent.y});
    facts = box.min.x + pad + room_x + ui.px(14);
  }
  float line = box.min.y + pad;
  const auto fact = [&](Rgba color, const std::string& sentence) {
    line += paragraph(ui, {{facts, line}, {box.max.x - pad, box.max.y}}, Type::words12, color, sentence) + ui.px(4);
  };
  fact(ui.colors.text, forecast_sentence(state));
  switch (state.choice.format) {
    case ExportFile::png:
      fact(ui.colors.text2, "8-bit RGB, sRGB");
      if (state.choice.recipe) fact(ui.colors.text2, "request, view and sha256 of the weights inside");
      break;
    case ExportFile::pdf:
      fact(ui.colors.text2, "one page: shapes, and words in embedded fonts");
      if (state.choice.recipe) fact(ui.colors.text2, "request, view and sha256 of the weights inside");
      break;
    case ExportFile::svg:
      fact(ui.colors.text2, "shapes and words that can be edited; maps of over 40,000 cells as images");
      if (state.choice.recipe) fact(ui.colors.text2, "request, view and sha256 of the weights inside");
      break;
    case ExportFile::html:
      fact(ui.colors.text2,
           "one page for any browser, without a network; the number of every cell, all computed layers");
      fact(ui.colors.text2, "request, view and sha256 of the weights inside");
      break;
    case ExportFile::csv:
      fact(ui.colors.text2, "the shortest decimals that read back to the same number; nan and -inf by name");
      break;
    case ExportFile::npy:
    case ExportFile::safetensors:
      fact(ui.colors.text2, "float32, bit by bit what is on screen");
      break;
    case ExportFile::json:
      fact(ui.colors.text2, "the request and the view; opens in the window and with --session");
      break;
  }
}

}  // namespace headscope::ui
