// Help > Guide: the pages of assets/guide, with a search over all of them.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "app/ui/command_list.h"
#include "app/ui/command_state.h"
#include "app/ui/dialogs/dialog_frame.h"
#include "app/ui/guide/guide_page.h"
#include "app/ui/guide/guide_text.h"
#include "app/ui/guide/languages.h"
#include "app/ui/guide/tour.h"
#include "app/ui/guide_state.h"
#include "app/ui/widgets/control_states.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kList = 230, kLineOfList = 28, kHit = 84;
constexpr std::size_t kMostHits = 60;
constexpr const char* kText = "guide/text";
constexpr const char* kHits = "guide/hits";

// What the dialog remembers while the window is open: it comes back to the page that was read.
struct GuideDialogState {
  std::string page, query;
  std::string language;                     // of `layout`
  std::vector<GuideHit> hits;               // of `query`
  std::map<std::string, std::string> live;  // the numbers of the run that `layout` has
  GuideLayout layout;
  void add_text(std::string& all) const {
    for (const auto& [name, value] : live) all += value;
  }
};

// The numbers of the run on screen, where the page has some.
std::map<std::string, std::string> live_values(const Ui& ui, const GuidePage& page) {
  if (!is_live(page)) return {};
  const auto trace = ui.session.trace();
  if (trace == nullptr) return {{"no_rope", ""}};
  std::map<std::string, std::string> values = tour_values(*trace, ui.session.view);
  if (!values.contains("rope")) values["no_rope"] = "";
  return values;
}

double& scrolled(Ui& ui, const char* area) {
  return ui.state.panels.get<ScrollOffsets>().down[area];
}

void go_to_page(Ui& ui, const std::string& id) {
  GuideDialogState& state = ui.state.panels.get<GuideDialogState>();
  if (find_guide_page(id) == nullptr || state.page == id) return;
  state.page = id;
  scrolled(ui, kText) = 0;
}

void draw_pages(Ui& ui, const Rect& area) {
  const GuideDialogState& state = ui.state.panels.get<GuideDialogState>();
  const float content = ui.px(kLineOfList) * static_cast<float>(guide_pages(language_of(ui).code).size());
  const ScrollArea scroll = begin_scroll(ui, "guide/pages", area, content);
  float y = area.min.y - scroll.offset;
  std::string chosen;
  for (const GuidePage& page : guide_pages(language_of(ui).code)) {
    const Rect line{{area.min.x, y}, {area.max.x - ui.px(10), y + ui.px(kLineOfList)}};
    if (radio(ui, "guide/page/" + page.id, line, {given(page.title), "", page.id == state.page})) chosen = page.id;
    y += ui.px(kLineOfList);
  }
  end_scroll(ui);
  if (!chosen.empty()) go_to_page(ui, chosen);
}

// Where a place is found: its page and heading, and its words. A press goes there.
void draw_hits(Ui& ui, const Rect& area) {
  const GuideDialogState& state = ui.state.panels.get<GuideDialogState>();
  const std::vector<GuideHit>& hits = state.hits;
  if (hits.empty()) {
    paragraph(ui, {area.min, {area.max.x - ui.px(10), area.max.y}}, Type::words12, ui.colors.text3,
              "No page has all of these words in one place.");
    return;
  }
  const ScrollArea scroll = begin_scroll(ui, kHits, area, ui.px(kHit) * static_cast<float>(hits.size()));
  float y = area.min.y - scroll.offset;
  const GuideHit* chosen = nullptr;
  for (std::size_t k = 0; k < hits.size(); ++k) {
    const Rect line{{area.min.x, y}, {area.max.x - ui.px(10), y + ui.px(kHit - 4)}};
    y += ui.px(kHit);
    const Interaction it =
        interact(ui, "guide/hit/" + std::to_string(k), line, {true, false, "Shows this place of the guide."});
    if (it.clicked) chosen = &hits[k];
    if (line.max.y < area.min.y || line.min.y > area.max.y) continue;
    if (it.hovered) fill(line, ui.colors.hover, ui.px(size::radius_control));
    const Rect inner = inset(line, ui.px(4));
    const float middle = inner.min.y + ui.px(18), low = middle + ui.px(16);
    text_in(ui, {inner.min, {inner.max.x, middle}}, Type::title12, ui.colors.text, given(hits[k].heading));
    text_in(ui, {{inner.min.x, middle}, {inner.max.x, low}}, Type::words11, ui.colors.text3,
            given(hits[k].page->title));
    paragraph(ui, {{inner.min.x, low}, inner.max}, Type::words11, ui.colors.text2, given(hits[k].excerpt));
    if (it.focused && ui.state.focus_by_keyboard) focus_ring(ui, line, ui.px(size::radius_control));
  }
  end_scroll(ui);
  if (chosen == nullptr) return;
  go_to_page(ui, chosen->page->id);
  ui.state.panels.get<GuideTarget>().block = chosen->block;
}

// Up, Down, Page Up, Page Down, Home and End scroll the text where no control uses them.
void read_keys(Ui& ui, const Rect& area) {
  if (ui.state.focus == "guide/query") return;
  double& offset = scrolled(ui, kText);
  const double line = static_cast<double>(ui.px(48)), page = static_cast<double>(area.height()) * 0.9;
  if (ui.take_key(KeyName::down)) offset += line;
  if (ui.take_key(KeyName::up)) offset -= line;
  if (ui.take_key(KeyName::page_down)) offset += page;
  if (ui.take_key(KeyName::page_up)) offset -= page;
  if (ui.take_key(KeyName::home)) offset = 0;
  if (ui.take_key(KeyName::end)) offset = static_cast<double>(ui.state.panels.get<GuideDialogState>().layout.height);
  offset = std::max(0.0, offset);
}

// The page itself; the action of the link that was pressed.
std::string draw_page(Ui& ui, const Rect& area) {
  GuideDialogState& state = ui.state.panels.get<GuideDialogState>();
  const GuidePage* page = find_guide_page(state.page, language_of(ui).code);
  if (page == nullptr) return "";
  const float width = area.width() - ui.px(22);
  const std::map<std::string, std::string> live = live_values(ui, *page);
  if (state.language != language_of(ui).code || state.layout.page != page->id || state.layout.width != width ||
      state.layout.scale != ui.scale || state.live != live) {
    state.layout = lay_out_guide(ui, filled_page(*page, live), width);
    state.live = live;
    state.language = language_of(ui).code;
  }
  std::optional<std::size_t>& block = ui.state.panels.get<GuideTarget>().block;
  if (block && *block < state.layout.tops.size()) {
    scrolled(ui, kText) = static_cast<double>(std::max(0.0f, state.layout.tops[*block] - ui.px(8)));
  }
  block.reset();
  read_keys(ui, area);
  const ScrollArea scroll = begin_scroll(ui, kText, area, state.layout.height);
  const std::string action = draw_guide_layout(ui, state.layout, area, scroll.offset);
  end_scroll(ui);
  return action;
}

void follow(Ui& ui, const std::string& action) {
  const std::string what = action.substr(action.find(':') + 1);
  if (action.starts_with("page:")) return go_to_page(ui, what);
  if (action.starts_with("example:")) {
    close_dialog(ui);
    ui.push(CommandId::open_example, what);
    return;
  }
  for (const CommandInfo& info : command_list()) {
    if (what != info.shortcut || !command_refusal(ui, info.id).empty()) continue;
    close_dialog_for_choice(ui);
    ui.push(info.id);
    return;
  }
}

}  // namespace

void draw_guide_dialog(Ui& ui, const Rect& window) {
  GuideDialogState& state = ui.state.panels.get<GuideDialogState>();
  GuideTarget& target = ui.state.panels.get<GuideTarget>();
  if (ui.state.dialogs.shown != static_cast<int>(DialogKind::guide)) {
    state.query.clear();
    ui.state.edits.erase("guide/query");
    ui.state.focus = "guide/query";
  }
  if (!target.page.empty()) go_to_page(ui, target.page);
  target.page.clear();
  if (find_guide_page(state.page, language_of(ui).code) == nullptr && !guide_pages(language_of(ui).code).empty())
    go_to_page(ui, guide_pages(language_of(ui).code).front().id);
  const DialogFrame dialog =
      draw_dialog_frame(ui, window, {.name = "guide", .title = "Guide", .width = 1040, .height = 780});
  if (ui.state.dialog == DialogKind::none) return;
  Rect body{{dialog.body.min.x + ui.px(20), dialog.body.min.y + ui.px(14)},
            {dialog.body.max.x - ui.px(4), dialog.body.max.y - ui.px(10)}};
  const float list = std::min(ui.px(kList), body.width() * 0.35f);
  Rect left = take_left(body, list, ui.px(16));
  vertical_line(ui, left.max.x + ui.px(4), dialog.body.min.y, dialog.body.max.y, ui.colors.edge);
  const Rect field{left.min, {left.max.x - ui.px(10), left.min.y + ui.px(30)}};
  if (text_field(ui, "guide/query", field, state.query, "search the guide",
                 {true, false, "Shows the places of all pages that have these words."})) {
    scrolled(ui, kHits) = 0;
    state.hits = find_in_guide(state.query, kMostHits, language_of(ui).code);
  }
  left.min.y = field.max.y + ui.px(10);
  const bool searching = state.query.find_first_not_of(" \t") != std::string::npos;
  if (searching) {
    draw_hits(ui, left);
  } else {
    draw_pages(ui, left);
  }
  const std::string action = draw_page(ui, body);
  if (!action.empty()) follow(ui, action);
}

}  // namespace headscope::ui
