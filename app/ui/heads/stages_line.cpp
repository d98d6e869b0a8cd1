// The stages as one line: a name each, that of the selected one in a box with its shape.
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/session/session.h"
#include "app/ui/heads/pipeline_parts.h"
#include "app/ui/widgets/control_states.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {
namespace {

constexpr const char* kStagesTitle = "Stages";
constexpr const char* kStagesKey = "F6";
constexpr float kAroundName = 6;                         // on both sides of a name, for its box
constexpr float kStageArrow = 14, kLeastStageArrow = 9;  // between two steps

float name_width(Ui& ui, Type type, std::string_view words) {
  return std::ceil(text_width(ui, type, words)) + 1;
}

// One name, with the shape of the selected one behind it.
struct StageName {
  StageId stage{};
  std::string words;
  float width = 0;
  std::string shape = {};
};

// The names of one card: stages that are made side by side have no arrow between them.
struct StageStep {
  std::vector<StageName> names;
  float width = 0;
};

// Names that do not fit give way: first the shape, and all but one name of a card that is not query, key and value;
// then those three become letters.
enum class Brief { no, one_name, letters };

StageStep step_of(Ui& ui, const StripState& strip, const PipelineCard& card, Brief brief) {
  const StageId selected = strip.selection.stage;
  const bool heads = card.has(StageId::query) && card.stages.size() == 3;
  StageStep step;
  for (const StageId id : card.stages) {
    const StageId only = card.has(selected) ? selected : card.stages.front();
    if (brief != Brief::no && !heads && id != only) continue;
    StageName name{id, std::string(stage_name(id))};
    if (heads && brief == Brief::letters) name.words.resize(1);
    name.width = name_width(ui, id == selected ? Type::mono_bold12 : Type::mono11, name.words) + 2 * ui.px(kAroundName);
    if (id == selected && brief == Brief::no) {
      name.shape = shape_or_equal(strip.data.trace(), *strip.data.trace().find(id));
      name.width += name_width(ui, Type::mono11, name.shape) + ui.px(kAroundName);
    }
    step.width += name.width;
    step.names.push_back(std::move(name));
  }
  return step;
}

// In the longest form that fits into `width`, else in the shortest, which scrolls.
std::vector<StageStep> stage_steps(Ui& ui, const StripState& strip, const std::vector<PipelineCard>& cards,
                                   float width) {
  std::vector<StageStep> steps;
  for (const Brief brief : {Brief::no, Brief::one_name, Brief::letters}) {
    steps.clear();
    float needed = static_cast<float>(cards.size() - 1) * ui.px(kLeastStageArrow);
    for (const PipelineCard& card : cards) {
      steps.push_back(step_of(ui, strip, card, brief));
      needed += steps.back().width;
    }
    if (needed <= width) break;
  }
  return steps;
}

// The stages from which the picked number was made stand out from the rest.
Rgba ink_of(const Ui& ui, const StripState& strip, const PipelineCard& card, const Stage& stage) {
  const Rgba own = stage_name_color(ui, card, stage);
  const bool plain = own == ui.colors.text;
  return plain && strip.selection.stage != stage.id && !strip.feeds(stage.id) ? ui.colors.text2 : own;
}

void draw_stage_name(Ui& ui, StripState& strip, const PipelineCard& card, const StageName& name, Rect place) {
  const Stage& stage = *strip.data.trace().find(name.stage);
  const bool selected = strip.selection.stage == name.stage;
  const float shape = name.shape.empty() ? 0 : name_width(ui, Type::mono11, name.shape) + ui.px(kAroundName);
  const Rect box{place.min, {place.max.x - shape, place.max.y}};
  const bool hovered = ui.state.hovered == stage_probe_name(name.stage);
  if (selected || hovered) fill(box, selected ? ui.colors.tint : ui.colors.hover, ui.px(size::radius_field));
  if (selected) outline(ui, box, ui.colors.accent, 2, ui.px(size::radius_field));
  stage_input(ui, strip, name.stage, box);
  const Rect words{{box.min.x + ui.px(kAroundName), box.min.y}, {box.max.x, box.max.y}};
  text_in(ui, words, selected ? Type::mono_bold12 : Type::mono11, ink_of(ui, strip, card, stage), name.words);
  const Rect behind{{box.max.x + ui.px(4), place.min.y}, place.max};
  if (shape > 0) text_in(ui, behind, Type::mono11, ui.colors.text2, name.shape);
}

// The caret and the title, as one button, where the line can be unfolded; else the title alone.
void draw_stages_title(Ui& ui, Rect& line, bool folds) {
  const float caret = folds ? ui.px(18) : 0;
  const Rect place = take_left(line, caret + name_width(ui, Type::title13, kStagesTitle), ui.px(10));
  text_in(ui, {{place.min.x + caret, place.min.y}, place.max}, Type::title13, ui.colors.text, kStagesTitle);
  if (!folds) return;
  const Interaction it = interact(ui, "pipeline_size", place,
                                  {true, false, "Shows the stages large, with their shapes and numbers (F6)."});
  draw_icon(ui, Icon::chevron_right, {place.min.x + ui.px(6), std::round(place.center().y)}, ui.px(10),
            it.hovered ? ui.colors.text : ui.colors.text2);
  if (it.focused && ui.state.focus_by_keyboard) focus_ring(ui, inset(place, -ui.px(1)), ui.px(size::radius_control));
  if (it.clicked) ui.push(CommandId::toggle_pipeline);
}

}  // namespace

void draw_stages_line(Ui& ui, StripState& strip, const Rect& area, bool folds) {
  Rect line{{area.min.x + ui.px(size::panel_padding), area.min.y + ui.px(5)},
            {area.max.x - ui.px(size::panel_padding), area.min.y + ui.px(29)}};
  draw_stages_title(ui, line, folds);
  if (folds) {
    const Rect key = take_right(line, name_width(ui, Type::mono11, kStagesKey), ui.px(12));
    text_in(ui, key, Type::mono11, ui.colors.text2, kStagesKey, 1);
  }
  const std::vector<PipelineCard> cards = pipeline_cards(strip.data.trace());
  const std::vector<StageStep> steps = stage_steps(ui, strip, cards, line.width());
  std::vector<float> widths;
  std::size_t selected = 0;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    widths.push_back(steps[i].width);
    if (cards[i].has(strip.selection.stage)) selected = i;
  }
  const CardLayout layout = card_layout(widths, widths, ui.px(kStageArrow), ui.px(kLeastStageArrow), line.width(), 0);
  const float offset = stages_offset(ui, line, layout, selected);
  canvas().PushClipRect({line.min.x - ui.px(2), area.min.y}, {line.max.x + ui.px(2), area.max.y}, true);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    float x = line.min.x + layout.x[i] - offset;
    if (x > line.max.x || x + layout.width[i] < line.min.x) continue;
    for (const StageName& name : steps[i].names) {
      draw_stage_name(ui, strip, cards[i], name, {{x, line.min.y}, {x + name.width, line.max.y}});
      x += name.width;
    }
    if (i + 1 < steps.size()) draw_stage_arrow(ui, std::round(x + layout.gap / 2), line.center().y);
  }
  canvas().PopClipRect();
  draw_stages_bar(ui, line, layout, offset, area.max.y);
}

}  // namespace headscope::ui
