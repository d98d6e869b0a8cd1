#include "app/ui/guide/start_cards.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/session/settings.h"
#include "app/ui/guide/languages.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

constexpr float kTitle = 40, kCardGap = 12, kInner = 12, kTextTop = 34, kLine = 8, kBelow = 12;

constexpr StartWay kTutorials[] = {{"", "000 fused", CommandId::open_example, "000-fused-projection"},
                                   {"", "001 causal", CommandId::open_example, "001-causal-phrase"},
                                   {"", "002 scores", CommandId::open_example, "002-masked-scores"},
                                   {"", "003 by hand", CommandId::open_example, "003-worked-example"},
                                   {"", "004 padding", CommandId::open_example, "004-padding"}};
constexpr StartWay kModels[] = {{"", "stories", CommandId::open_example, "demo-stories"},
                                {"", "pronouns", CommandId::open_example, "demo-pronouns"},
                                {"", "induction", CommandId::open_example, "demo-induction"}};
constexpr StartWay kCheckpoints[] = {{"start/open_folder", "", CommandId::open_folder, ""},
                                     {"start/open_file", "", CommandId::open_file, ""}};
constexpr StartWay kTensors[] = {{"start/compare", "", CommandId::compare_tensors, ""},
                                 {"", "Bug lab", CommandId::toggle_bug_lab, ""}};
constexpr StartCard kCards[] = {{"tutorial", 0.32f, kTutorials},
                                {"model", 0.21f, kModels},
                                {"checkpoint", 0.22f, kCheckpoints},
                                {"tensors", 0.25f, kTensors}};

const std::string& text_of(const Language& language, const StartCard& card, const char* which) {
  return language.text(fmt::format("start/{}/{}", card.word, which));
}

std::string words_of(const Language& language, const StartWay& way) {
  return *way.text == '\0' ? way.name : language.text(way.text);
}

// The places of the cards side by side, without their height.
std::vector<Rect> columns_of(const Ui& ui, const Rect& area) {
  const float padding = ui.px(size::panel_padding), gap = ui.px(kCardGap);
  const float room = area.width() - 2 * padding - gap * static_cast<float>(std::size(kCards) - 1);
  std::vector<Rect> columns;
  float x = area.min.x + padding;
  for (const StartCard& card : kCards) {
    const float width = std::floor(room * card.share);
    columns.push_back({{x, area.min.y + ui.px(kTitle)}, {x + width, area.max.y - ui.px(kBelow)}});
    x += width + gap;
  }
  return columns;
}

// Where the buttons of a card stand, wrapped within its width, from `y` down.
std::vector<Rect> buttons_of(Ui& ui, const Language& language, const StartCard& card, const Rect& inner, float y) {
  std::vector<Rect> places;
  const float height = ui.px(size::control_height), gap = ui.px(6);
  float x = inner.min.x;
  for (const StartWay& way : card.ways) {
    const float wish = std::ceil(text_width(ui, Type::words12, given(words_of(language, way)))) + ui.px(20);
    const float width = std::min(wish, inner.width());
    if (x > inner.min.x && x + width > inner.max.x) {
      x = inner.min.x;
      y += height + gap;
    }
    places.push_back({{x, y}, {x + width, y + height}});
    x += width + gap;
  }
  return places;
}

// The lower end of a card that begins at the top of `column`.
float card_end(Ui& ui, const Language& language, const StartCard& card, const Rect& column) {
  const Rect inner{{column.min.x + ui.px(kInner), column.min.y}, {column.max.x - ui.px(kInner), column.max.y}};
  const float text = paragraph_height(ui, Type::words13, given(text_of(language, card, "text")), inner.width());
  const float y = column.min.y + ui.px(kTextTop) + text + ui.px(kLine);
  return buttons_of(ui, language, card, inner, y).back().max.y + ui.px(kInner);
}

void draw_card(Ui& ui, const Language& language, const StartCard& card, const Rect& place) {
  fill(place, ui.colors.panel, ui.px(size::radius_field));
  outline(ui, place, ui.colors.edge, 1, ui.px(size::radius_field));
  const Rect inner{{place.min.x + ui.px(kInner), place.min.y}, {place.max.x - ui.px(kInner), place.max.y}};
  text_in(ui, {{inner.min.x, place.min.y + ui.px(8)}, {inner.max.x, place.min.y + ui.px(30)}}, Type::title13,
          ui.colors.text, text_of(language, card, "title"));
  const float top = place.min.y + ui.px(kTextTop);
  const float text = paragraph(ui, {{inner.min.x, top}, {inner.max.x, top}}, Type::words13, ui.colors.text2,
                               text_of(language, card, "text"));
  const std::vector<Rect> places = buttons_of(ui, language, card, inner, top + text + ui.px(kLine));
  for (std::size_t k = 0; k < card.ways.size(); ++k) {
    const StartWay& way = card.ways[k];
    if (button(ui, fmt::format("start/{}/{}", card.word, k + 1), places[k], given(words_of(language, way)))) {
      ui.push(way.command, way.argument);
    }
  }
}

void draw_title(Ui& ui, const Language& language, Rect line) {
  const float side = ui.px(size::control_height), top = std::round(line.center().y - side / 2);
  const auto level = [&](const Rect& rect) { return Rect{{rect.min.x, top}, {rect.max.x, top + side}}; };
  const ControlState close{true, false, language.text("start/close").c_str()};
  if (icon_button(ui, "start/close", level(take_right(line, side, ui.px(8))), Icon::close, close)) {
    ui.settings.start_open = false;
    ui.state.wants_frame = true;
  }
  const std::string& tour = language.text("start/tour");
  const float width = std::ceil(text_width(ui, Type::title12, given(tour))) + ui.px(28);
  if (button(ui, "start/tour", level(take_right(line, width, ui.px(12))), given(tour), {}, true))
    ui.push(CommandId::tour);
  const std::string &title = language.text("start/title"), &note = language.text("start/note"),
                    &back = language.text("start/back");
  text_in(ui, take_left(line, std::ceil(text_width(ui, Type::title15, given(title))) + 1, ui.px(12)), Type::title15,
          ui.colors.text, title);
  // The way back is said first where there is no room for both sentences.
  const float back_width = std::ceil(text_width(ui, Type::words13, given(back))) + 1;
  if (back_width < line.width())
    text_in(ui, take_right(line, back_width, ui.px(16)), Type::words13, ui.colors.text2, given(back));
  if (text_width(ui, Type::words13, given(note)) < line.width())
    text_in(ui, line, Type::words13, ui.colors.text2, given(note));
}

}  // namespace

std::span<const StartCard> start_cards() {
  return kCards;
}

float start_height(Ui& ui, float width) {
  if (!ui.settings.start_open) return 0;
  const Language& language = language_of(ui);
  const std::vector<Rect> columns = columns_of(ui, {{0, 0}, {width, 0}});
  float end = 0;
  for (std::size_t k = 0; k < columns.size(); ++k) {
    end = std::max(end, card_end(ui, language, kCards[k], columns[k]));
  }
  return std::ceil(end + ui.px(kBelow));
}

void draw_start(Ui& ui, const Rect& area) {
  ui.mark("start", area);
  fill(area, ui.colors.chrome);
  const Language& language = language_of(ui);
  std::string& letters = ui.state.panels.get<StartLetters>().letters;
  letters.clear();
  for (const auto& [path, text] : language.texts) {
    if (path.starts_with("start/")) letters += text;
  }
  const float padding = ui.px(size::panel_padding);
  draw_title(ui, language, {{area.min.x + padding, area.min.y}, {area.max.x - padding, area.min.y + ui.px(kTitle)}});
  const std::vector<Rect> columns = columns_of(ui, area);
  for (std::size_t k = 0; k < columns.size(); ++k) draw_card(ui, language, kCards[k], columns[k]);
  horizontal_line(ui, area.min.x, area.max.x, area.max.y - std::max(1.0f, ui.px(1)), ui.colors.line);
}

}  // namespace headscope::ui
