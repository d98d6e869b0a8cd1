#include "app/ui/guide/guide_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "app/ui/command_list.h"
#include "app/ui/command_state.h"
#include "app/ui/guide/examples.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

constexpr std::string_view kPages = ".md", kExamples = "../examples/", kJson = ".json";

Rgba color_of(const Ui& ui, GuidePiece::Kind kind) {
  switch (kind) {
    case GuidePiece::Kind::dim:
      return ui.colors.text3;
    case GuidePiece::Kind::link:
      return ui.colors.accent;
    case GuidePiece::Kind::strong:
    case GuidePiece::Kind::code:
      return ui.colors.text;
    default:
      return ui.colors.text2;
  }
}

const char* tooltip_of(const std::string& action) {
  if (action.starts_with("page:")) return "Opens this page.";
  if (action.starts_with("example:")) return "Opens this session.";
  return "Does what this key does.";
}

}  // namespace

std::string guide_key(const std::string& code) {
  for (const CommandInfo& info : command_list()) {
    if (info.shortcut[0] != '\0' && code == info.shortcut && info.id != CommandId::select_head) return "key:" + code;
  }
  return "";
}

std::string guide_action(const std::string& target) {
  const std::string file = target.substr(0, target.find('#'));
  if (file.ends_with(kPages)) {
    const std::string id = file.substr(0, file.size() - kPages.size());
    return find_guide_page(id) != nullptr ? "page:" + id : "";
  }
  if (!file.starts_with(kExamples) || !file.ends_with(kJson)) return "";
  const std::string id = file.substr(kExamples.size(), file.size() - kExamples.size() - kJson.size());
  const auto& examples = all_examples();
  const bool known = std::any_of(examples.begin(), examples.end(), [&](const Example& each) { return each.id == id; });
  return known ? "example:" + id : "";
}

std::string draw_guide_layout(Ui& ui, const GuideLayout& layout, const Rect& area, float offset) {
  std::string pressed;
  int links = 0, wells = 0;
  for (const GuidePiece& piece : layout.pieces) {
    if (piece.kind == GuidePiece::Kind::link) ++links;
    const float x = area.min.x, y = area.min.y - offset;
    const Rect rect{{x + piece.rect.min.x, y + piece.rect.min.y}, {x + piece.rect.max.x, y + piece.rect.max.y}};
    const bool visible = rect.max.y > area.min.y && rect.min.y < area.max.y;
    if (piece.kind == GuidePiece::Kind::link) {  // also out of sight: Tab goes through all of them
      const Interaction it =
          interact(ui, fmt::format("guide/link/{}", links), rect, {true, false, tooltip_of(piece.target)});
      if (it.clicked) pressed = piece.target;
      if (it.hovered && visible) horizontal_line(ui, rect.min.x, rect.max.x, rect.max.y - ui.px(3), ui.colors.accent);
      if (it.focused && ui.state.focus_by_keyboard) focus_ring(ui, rect, ui.px(size::radius_inner));
    }
    if (!visible) {
      wells += piece.kind == GuidePiece::Kind::well;
      continue;
    }
    if (piece.kind == GuidePiece::Kind::well) {
      fill(rect, ui.colors.well, ui.px(size::radius_field));
      const float right = rect.max.x - ui.px(4), top = rect.min.y + ui.px(2);
      const Rect corner{{right - ui.px(kGuideCopy), top}, {right, top + ui.px(kGuideCopy)}};
      const std::string name = fmt::format("guide/copy/{}", ++wells);
      if (icon_button(ui, name, corner, Icon::copy, {true, false, "Copies these lines."})) ui.set_clipboard(piece.text);
    } else if (piece.kind == GuidePiece::Kind::rule) {
      horizontal_line(ui, rect.min.x, rect.max.x, rect.min.y, ui.colors.edge);
    } else {
      text(ui, {rect.min.x, text_top(ui, piece.type, rect.center().y)}, piece.type, color_of(ui, piece.kind),
           given(piece.text));
    }
  }
  return pressed;
}

}  // namespace headscope::ui
