#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/session/session.h"
#include "app/ui/explain/explanation.h"
#include "app/ui/explain/follow.h"
#include "app/ui/map/explain_state.h"
#include "app/ui/map/panel_sentences.h"
#include "app/ui/panels.h"
#include "app/ui/widgets/fitting_words.h"
#include "app/ui/widgets/widgets.h"
#include "core/heads/arcs.h"

namespace headscope::ui {
namespace {

constexpr float kBar = 46, kSentence = 26, kTitle = 40, kNarrowExplanation = 400, kWideExplanation = 684,
                kPipelineFrom = 900;
constexpr std::int64_t kMostListed = 2000;  // tokens in the list; of more, a number is typed

// What the view remembers.
struct FollowState {
  std::int64_t feature = 0;    // of the head; cells of scores and weights do not determine it
  float explained_height = 0;  // of the explanation at the right, as it was drawn last
};

struct Follow {
  PanelData& data;
  std::vector<StageId> steps;
  std::size_t at = 0;
  Followed followed;
  CellPlace place;
};

// The key with the largest weight of the followed query; of a large map the query's own position.
std::int64_t key_of(PanelData& data, const Followed& followed) {
  const Trace& trace = data.trace();
  if (trace.find(StageId::weights) == nullptr || data.is_large(StageId::weights)) return followed.token;
  return strongest_key(data.trace(), followed.batch, followed.head, followed.token);
}

Follow follow_of(Ui& ui, PanelData& data) {
  const Trace& trace = data.trace();
  const Selection selection = selection_of(ui.session.view, trace);
  Follow follow{data, follow_steps(trace), follow_step_of(trace, selection.stage), {}, {}};
  Followed before;
  before.batch = selection.batch;
  before.head = selection.head;
  before.feature = ui.state.panels.get<FollowState>().feature;
  const std::optional<CellPlace> picked = picked_place(ui.session.view, trace);
  if (picked) {
    follow.followed = followed_from(trace, *picked, before);
    if (!is_score_like(picked->stage)) follow.followed.key = key_of(data, follow.followed);
    follow.place = *picked;
  } else {
    before.token = ui.session.view.cell ? std::clamp<std::int64_t>(ui.session.view.cell->row, 0, trace.query_len() - 1)
                                        : trace.query_len() - 1;
    before.key = key_of(data, before);
    follow.followed = before;
    follow.place = followed_place(trace, selection.stage, before);
    show_place(ui.session.view, trace, follow.place);
  }
  ui.state.panels.get<FollowState>().feature = follow.followed.feature;
  return follow;
}

void go_to_step(Ui& ui, const Follow& follow, std::ptrdiff_t step) {
  const auto last = static_cast<std::ptrdiff_t>(follow.steps.size()) - 1;
  const StageId stage = follow.steps[static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(step, 0, last))];
  show_place(ui.session.view, follow.data.trace(), followed_place(follow.data.trace(), stage, follow.followed));
  ui.state.wants_frame = true;
}

void go_to_token(Ui& ui, const Follow& follow, std::int64_t token) {
  const Trace& trace = follow.data.trace();
  Followed followed = follow.followed;
  followed.token = std::clamp<std::int64_t>(token, 0, trace.query_len() - 1);
  if (followed.token == follow.followed.token) return;
  followed.key = key_of(follow.data, followed);
  show_place(ui.session.view, trace, followed_place(trace, follow.place.stage, followed));
  ui.state.wants_frame = true;
}

// Left and Right step, Up and Down change the token.
void read_follow_keys(Ui& ui, const Follow& follow) {
  if (!ui.state.focus.starts_with("follow") || !ui.state.editing.empty()) return;
  const auto at = static_cast<std::ptrdiff_t>(follow.at);
  if (ui.take_key(KeyName::right)) go_to_step(ui, follow, at + 1);
  if (ui.take_key(KeyName::left)) go_to_step(ui, follow, at - 1);
  if (ui.take_key(KeyName::home)) go_to_step(ui, follow, 0);
  if (ui.take_key(KeyName::end)) go_to_step(ui, follow, static_cast<std::ptrdiff_t>(follow.steps.size()) - 1);
  if (ui.take_key(KeyName::down)) go_to_token(ui, follow, follow.followed.token + 1);
  if (ui.take_key(KeyName::up)) go_to_token(ui, follow, follow.followed.token - 1);
}

void draw_dots(Ui& ui, const Follow& follow, Rect& rest) {
  const float pitch = ui.px(13), radius = 4 * ui.scale;
  const float width = pitch * static_cast<float>(follow.steps.size());
  if (rest.width() < width + ui.px(90)) return;
  const Rect place = take_left(rest, width, ui.px(8));
  for (std::size_t at = 0; at < follow.steps.size(); ++at) {
    const ImVec2 center{place.min.x + (static_cast<float>(at) + 0.5f) * pitch, std::round(place.center().y)};
    const Rect dot{{center.x - pitch / 2, place.min.y}, {center.x + pitch / 2, place.max.y}};
    const std::string name(stage_name(follow.steps[at]));
    const Interaction mouse =
        interact_mouse(ui, fmt::format("follow/step/{}", name), dot, {true, false, name.c_str()}, false);
    if (mouse.clicked) go_to_step(ui, follow, static_cast<std::ptrdiff_t>(at));
    const Rgba ink = at == follow.at ? ui.colors.accent : mouse.hovered ? ui.colors.text : ui.colors.text3;
    if (at > follow.at) {
      canvas().AddCircle(center, radius, color32(ink), 20, std::max(1.0f, ui.px(1)));
    } else {
      canvas().AddCircleFilled(center, radius, color32(ink), 20);
    }
  }
}

void draw_token_choice(Ui& ui, const Follow& follow, Rect& rest) {
  const std::vector<std::string>& names = follow.data.rows(StageId::input);
  text_in(ui, take_left(rest, std::ceil(text_width(ui, Type::words12, "Token")) + 1, ui.px(8)), Type::words12,
          ui.colors.text2, "Token");
  const Rect place = take_left(rest, ui.px(104), ui.px(12));
  const std::int64_t count = follow.data.trace().query_len();
  const ControlState state{true, false, "The token that is followed; Up and Down take the one before and after."};
  if (count > kMostListed) {
    std::int64_t token = follow.followed.token;
    if (stepper(ui, "follow/token", place, token, {.low = 0, .high = count - 1}, state)) go_to_token(ui, follow, token);
    return;
  }
  std::vector<std::string> items;
  for (std::int64_t i = 0; i < count; ++i) items.push_back(fmt::format("{} {}", i, token_or_index(names, i)));
  int selected = static_cast<int>(follow.followed.token);
  if (combo(ui, "follow/token", place, items, selected, {state})) go_to_token(ui, follow, selected);
}

float width_of_roles(Ui& ui, const std::vector<RoleText>& pieces) {
  float width = 0;
  for (const RoleText& piece : pieces) {
    width += std::ceil(text_width(ui, piece.role == TextRole::plain ? Type::words12 : Type::mono_bold12, piece.text));
  }
  return width;
}

void draw_sentence(Ui& ui, Rect rest, const std::vector<RoleText>& pieces) {
  for (const RoleText& piece : pieces) {
    const Type type = piece.role == TextRole::plain ? Type::words12 : Type::mono_bold12;
    const float width = std::ceil(text_width(ui, type, piece.text));
    if (rest.width() < ui.px(8)) return;
    text_in(ui, {rest.min, {std::min(rest.max.x, rest.min.x + width + 1), rest.max.y}}, type,
            role_color(ui, piece.role), piece.text);
    rest.min.x += width;
  }
}

// Returns the y below it.
float draw_bar(Ui& ui, const Follow& follow, const Rect& area, const CellReport* report) {
  const Stage& stage = *follow.data.trace().find(follow.place.stage);
  const float top = area.min.y + ui.px((kBar - size::control_height) / 2);
  Rect rest{{area.min.x + ui.px(size::panel_padding), top},
            {area.max.x - ui.px(size::panel_padding), top + ui.px(size::control_height)}};
  bool on = true;
  if (chip(ui, "follow/on", take_left(rest, ui.px(64), ui.px(16)), "Follow", on,
           {true, false, "Back to heads, concat and inspector (Ctrl+J)."})) {
    ui.push(CommandId::toggle_follow);
  }
  draw_token_choice(ui, follow, rest);
  const auto at = static_cast<std::ptrdiff_t>(follow.at);
  const bool first = follow.at == 0, last = follow.at + 1 == follow.steps.size();
  if (icon_button(ui, "follow/previous", take_left(rest, ui.px(26), ui.px(2)), Icon::chevron_left,
                  {!first, false, first ? "This is the first step." : "The step before (Left)."})) {
    go_to_step(ui, follow, at - 1);
  }
  if (icon_button(ui, "follow/next", take_left(rest, ui.px(26), ui.px(12)), Icon::chevron_right,
                  {!last, false, last ? "This is the last step." : "The next step (Right)."})) {
    go_to_step(ui, follow, at + 1);
  }
  draw_dots(ui, follow, rest);
  const std::string count = fmt::format("Step {} of {}", follow.at + 1, follow.steps.size());
  text_in(ui, take_left(rest, std::ceil(text_width(ui, Type::words12, count)) + 1, ui.px(16)), Type::words12,
          ui.colors.text2, count);
  const std::string operation =
      fitting_words(ui, Type::title12, rest.width(),
                    {stage.operation, stage.operation.substr(0, stage.operation.find(',')), std::string()});
  text_in(ui, take_left(rest, std::ceil(text_width(ui, Type::title12, operation)) + 1, ui.px(10)), Type::title12,
          ui.colors.text, operation);
  const std::vector<RoleText> sentence = follow_sentence(follow.data, follow.place, report);
  float bottom = area.min.y + ui.px(kBar);
  if (width_of_roles(ui, sentence) <= rest.width()) {
    draw_sentence(ui, rest, sentence);
  } else {
    draw_sentence(ui,
                  {{area.min.x + ui.px(size::panel_padding), bottom - ui.px(6)},
                   {area.max.x - ui.px(size::panel_padding), bottom - ui.px(6) + ui.px(20)}},
                  sentence);
    bottom += ui.px(kSentence - 6);
  }
  horizontal_line(ui, area.min.x, area.max.x, bottom - ui.px(1), ui.colors.line);
  return bottom;
}

}  // namespace

bool can_follow(const Ui& ui) {
  const auto trace = ui.session.trace();
  return trace != nullptr && !trace->stages.empty() && trace->query_len() > 0 && trace->num_heads() > 0;
}

void draw_follow_panel(Ui& ui, const Rect& area) {
  PanelData* data = panel_data(ui);
  if (data == nullptr || !can_follow(ui)) return;
  const bool names_only = ui.session.view.pipeline_collapsed || ImGui::GetIO().DisplaySize.y / ui.scale < kPipelineFrom;
  const Rect pipeline{area.min, {area.max.x, area.min.y + ui.px(names_only ? size::pipeline_small : size::pipeline)}};
  draw_pipeline_strip(ui, pipeline, false);
  horizontal_line(ui, area.min.x, area.max.x, pipeline.max.y - ui.px(1), ui.colors.line);
  read_follow_keys(ui, follow_of(ui, *data));
  const Follow follow = follow_of(ui, *data);
  std::shared_ptr<const CellReport> report;
  if (!data->trace().preview) {
    report =
        ui.session.background.explanations.report(data->shared_trace(), follow.place.stage, follow.place.index).report;
  }
  const float y = draw_bar(ui, follow, {{area.min.x, pipeline.max.y}, area.max}, report.get());
  const float width = std::clamp(std::round(area.width() * 0.43f), ui.px(kNarrowExplanation), ui.px(kWideExplanation));
  const float split = area.max.x - width;
  const float pad = ui.px(size::panel_padding);
  const Rect left{{area.min.x, y}, {split, area.max.y}};
  ui.mark("follow/tensors", left);
  Rect title{{left.min.x + pad, y}, {left.max.x - pad, y + ui.px(kTitle)}};
  const Rect focus{left.min, {left.max.x, title.max.y}};
  const Interaction follows = interact_mouse(ui, "follow", focus);
  if (follows.focused && ui.state.focus_by_keyboard) focus_ring(ui, inset(focus, ui.px(6)), ui.px(size::radius_field));
  const char* words = "Linked tensors";
  text_in(ui, title, Type::title13, ui.colors.text, words);
  title.min.x += std::ceil(text_width(ui, Type::title13, words)) + ui.px(10);
  text_in(ui, title, Type::words12, ui.colors.text2, "everything that feeds the selected cell");
  draw_follow_tensors(ui, *data, follow.place, {{left.min.x + pad, title.max.y}, {left.max.x - pad, area.max.y}});
  vertical_line(ui, split, y, area.max.y, ui.colors.line);

  const Rect right{{split + ui.px(1), y}, area.max};
  float& needed = ui.state.panels.get<FollowState>().explained_height;
  const ScrollArea scroll = begin_scroll(ui, "follow/explanation", right, needed + ui.px(8));
  const Rect column{{right.min.x + pad, right.min.y - scroll.offset}, {right.max.x - pad, right.max.y}};
  const float height = std::ceil(
      draw_explanation(ui, *data, Explained{follow.place, false}, column, right, "Where this number comes from"));
  if (height != needed) ui.state.wants_frame = true;
  needed = height;
  end_scroll(ui);
  ask_for_rest(ui);
}

}  // namespace headscope::ui
