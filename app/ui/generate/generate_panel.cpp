// The view 'generate': its controls, what is asked of the background, steps forward and back.
#include "app/ui/generate/generate_panel.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <utility>

#include "app/session/session.h"
#include "app/ui/widgets/view_parts.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/model_trace.h"
#include "core/generate/appended_token.h"
#include "core/generate/generation_problem.h"
#include "core/model/checkpoint.h"
#include "core/model/inputs.h"

namespace headscope::ui {
namespace {

constexpr int kSeveral = 10;
constexpr std::int64_t kMostDrawn = 1'000'000;
GeneratePanelState& state_of(Ui& ui) {
  return ui.state.panels.get<GeneratePanelState>();
}

// Why no token can be appended; nothing when one can.
std::optional<std::string> obstacle_of_text(const Trace& trace) {
  std::optional<Problem> problem = generation_problem(trace.request);
  if (!problem) problem = generation_problem(trace.request, *trace.inputs, 1);
  if (!problem) return std::nullopt;
  return problem->title + ". " + problem->detail;
}

// The token that the sampler draws, as a row of the list.
AppendedToken drawn_token(const NextToken& next) {
  const SampledToken& drawn = next.sampled;
  return {drawn.token.id, next.piece, drawn.token.probability, drawn.token.chance, drawn.kept, false};
}

// The text as it was before the last appended token; one step of undo.
void take_back(Ui& ui) {
  GeneratePanelState& state = state_of(ui);
  state.waiting = 0;
  state.behind -= 1;
  const AppendedToken& last = state.appended[state.behind];
  ui.session.end_undo_step();
  ui.session.draft.phrase = last.phrase_before;
  ui.session.draft.token_ids = last.ids_before;
  ui.session.end_undo_step();
  ui.state.wants_frame = true;
}

void draw_buttons(Ui& ui, const Trace* trace, const NextToken* next, Rect line) {
  GeneratePanelState& state = state_of(ui);
  const bool can = trace != nullptr && next != nullptr;
  const bool goes_on = state.waiting > 0;
  if (button(ui, "generate/more", take_right(line, ui.px(88), ui.px(6)), goes_on ? "Stop" : "10 tokens",
             {can || goes_on, false, goes_on ? "No further token." : "Appends ten tokens, one after the other."})) {
    state.waiting = goes_on ? 0 : kSeveral;
  }
  if (button(ui, kNextToken, take_right(line, ui.px(96), ui.px(6)), "Next token",
             {can, false, "Appends the token that is drawn. One step of undo."}, true)) {
    state.waiting = std::max(state.waiting, 1);
  }
  if (icon_button(ui, "generate/forward", take_right(line, ui.px(28), ui.px(6)), Icon::chevron_right,
                  {can && state.behind < state.appended.size(), false, "Appends the token that was taken back."})) {
    append_token(ui, *trace, state.appended[state.behind]);
  }
  if (icon_button(ui, "generate/back", take_right(line, ui.px(28), ui.px(6)), Icon::chevron_left,
                  {state.behind > 0, false, "Takes the last appended token back."})) {
    take_back(ui);
  }
}

// How a token is chosen; returns the y below.
float draw_sampling(Ui& ui, const Rect& area) {
  Sampling& sampling = ui.session.view.sampling;
  const float pad = ui.px(size::panel_padding);
  Rect line{{area.min.x + pad, area.min.y + ui.px(3)},
            {area.max.x - pad, area.min.y + ui.px(3) + ui.px(size::control_height)}};
  const auto label = [&](const char* words) {
    text_in(ui, take_left(line, std::ceil(text_width(ui, Type::words12, words)) + 1, ui.px(6)), Type::words12,
            ui.colors.text2, words);
  };
  int kind = static_cast<int>(sampling.kind);
  if (segments(
          ui, "generate/sample", take_left(line, ui.px(200), ui.px(10)), {"greedy", "top-k", "top-p"}, kind,
          {true, false,
           "greedy: the most probable token. top-k: one of the k most probable. top-p: one of the smallest set that "
           "holds p of the probability."})) {
    sampling.kind = static_cast<Sampling::Kind>(kind);
    if (sampling.kind == Sampling::Kind::top_k && sampling.k == 1) sampling.k = 5;
    if (sampling.kind == Sampling::Kind::top_p && sampling.p == 1) sampling.p = 0.9;
  }
  if (sampling.kind == Sampling::Kind::greedy) return line.max.y + ui.px(6);
  if (sampling.kind == Sampling::Kind::top_k) {
    label("k");
    stepper(ui, "generate/k", take_left(line, ui.px(92), ui.px(12)), sampling.k, {.low = 1, .high = kMostDrawn},
            {true, false, "How many tokens may be drawn."});
    sampling.k = std::clamp<std::int64_t>(sampling.k, 1, kMostDrawn);
  } else {
    label("p");
    double p = sampling.p;
    if (number_field(ui, "generate/p", take_left(line, ui.px(72), ui.px(12)), p, false,
                     {true, false, "The share of the probability, above 0 and at most 1."}) &&
        p > 0 && p <= 1) {
      sampling.p = p;
    }
  }
  label("temperature");
  double temperature = sampling.temperature;
  if (number_field(ui, "generate/temperature", take_left(line, ui.px(72), ui.px(12)), temperature, false,
                   {true, false, "Divides the logits: below 1 sharper, above 1 flatter."}) &&
      temperature >= 1e-3 && temperature <= 1e3) {
    sampling.temperature = temperature;
  }
  label("seed");
  seed_stepper(ui, "generate/seed", take_left(line, ui.px(150), ui.px(6)), sampling.seed,
               {true, false, "The same seed draws the same text, here and in headscope-cli generate."});
  return line.max.y + ui.px(6);
}

bool is_whole(const std::shared_ptr<const Trace>& trace) {
  return trace != nullptr && trace->model != nullptr && !trace->model->final_hidden.empty() && !trace->preview;
}

// Tokens that come by themselves: one as soon as the one before is computed.
void go_on(Ui& ui, const Trace& trace, const NextToken& next) {
  GeneratePanelState& state = state_of(ui);
  if (state.waiting == 0) return;
  state.waiting -= 1;
  const AppendedToken token = drawn_token(next);
  if (ends_text(*trace.model->checkpoint, token.id)) state.waiting = 0;
  append_token(ui, trace, token);
  ui.wake_in(0);
}

}  // namespace

void follow_text(GeneratePanelState& state, const std::vector<std::int64_t>& ids) {
  const auto common = [&] {
    if (ids.size() < state.prompt.size() || !std::equal(state.prompt.begin(), state.prompt.end(), ids.begin())) {
      return false;
    }
    const std::size_t more = ids.size() - state.prompt.size();
    if (more > state.appended.size()) return false;
    for (std::size_t k = 0; k < more; ++k) {
      if (ids[state.prompt.size() + k] != state.appended[k].id) return false;
    }
    return true;
  };
  if (!state.prompt.empty() && common()) {
    state.behind = ids.size() - state.prompt.size();
    return;
  }
  state.prompt = ids;
  state.appended.clear();
  state.behind = 0;
  state.waiting = 0;
}

void append_token(Ui& ui, const Trace& trace, AppendedToken token) {
  GeneratePanelState& state = state_of(ui);
  const bool forward = state.behind < state.appended.size() && state.appended[state.behind].id == token.id;
  const std::int64_t id = token.id;
  if (!forward) {
    token.phrase_before = ui.session.draft.phrase;
    token.ids_before = ui.session.draft.token_ids;
    state.appended.resize(state.behind);
    state.appended.push_back(std::move(token));
  }
  state.behind += 1;
  ui.session.end_undo_step();
  ui.session.draft = with_appended_token(ui.session.draft, *trace.inputs, id);
  ui.session.end_undo_step();
  ui.state.wants_frame = true;
}

void draw_generate_panel(Ui& ui, const Rect& area) {
  ui.mark("generate", area);
  const std::shared_ptr<const Trace> trace = ui.session.trace();
  if (trace == nullptr || trace->model == nullptr) return;
  GeneratePanelState& state = state_of(ui);
  const bool ready = is_whole(trace) && !ui.session.stale() && !ui.session.problem();
  const std::optional<std::string> obstacle = obstacle_of_text(*trace);
  const NextToken* next = nullptr;
  if (ui.session.problem() || obstacle) state.waiting = 0;  // as where every position is taken
  if (ready && !obstacle) {
    follow_text(state, trace->inputs->token_ids);
    const NextTokenQuery query{trace, ui.session.view.sampling, static_cast<std::uint64_t>(state.behind)};
    const auto result = ui.session.background.next_tokens.want(query);
    if (result != nullptr) state.last = result;
    if (result != nullptr && result->question == query) {
      if (result->answer) next = &*result->answer;
      if (!result->answer) state.waiting = 0;
    }
  }
  Rect header{area.min, {area.max.x, area.min.y + ui.px(size::panel_header)}};
  Rect line{{area.min.x, std::round(header.center().y - ui.px(12))}, {area.max.x - ui.px(size::panel_padding), 0}};
  line.max.y = line.min.y + ui.px(size::control_height);
  draw_buttons(ui, trace.get(), next, line);
  panel_header(ui, {header.min, {header.max.x - ui.px(290), header.max.y}}, "", trace->model->name);
  Rect body{{area.min.x, header.max.y}, area.max};
  if (obstacle) return view_sentence(ui, "generate", body, ui.colors.text, *obstacle);
  body.min.y = draw_sampling(ui, body);
  if (state.last == nullptr) return view_sentence(ui, "generate", body, ui.colors.text2, "Computing …");
  if (!state.last->answer) return view_sentence(ui, "generate", body, ui.colors.text, state.last->failure);
  const Rect rows = take_detail(ui, body, {.share = 0.45f, .widest = 10000, .beside_from = 760});
  draw_candidates(ui, *trace, *state.last, body);
  draw_appended(ui, *trace, rows);
  if (next != nullptr) go_on(ui, *trace, *next);
}

}  // namespace headscope::ui
