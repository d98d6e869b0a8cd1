// The bottom line: whether the shown result is current, how long it took and on which backend, and the keys that work
// here.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "app/session/session.h"
#include "app/ui/main_view.h"
#include "app/ui/map/heatmap_view.h"
#include "app/ui/panels.h"
#include "app/ui/shell_state.h"
#include "app/ui/widgets/widgets.h"
#include "core/attention/computed_part.h"
#include "core/attention/model_trace.h"
#include "core/base/grouped_digits.h"
#include "core/picture/cell_numbers.h"

namespace headscope::ui {

namespace {

struct Status {
  std::string words;
  Rgba dot;
  const char* help = "";  // one sentence
};

Status status_of(Ui& ui) {
  const Session& session = ui.session;
  const Palette& c = ui.colors;
  if (!session.failure().empty())
    return {"Not computed", c.bad, "The last computation failed: the bar above the pictures says why."};
  if (session.problem()) {
    if (session.trace() == nullptr) return {"Cannot run", c.warn, "The request cannot be computed as it stands."};
    return {"Shows the last good result", c.warn,
            "The request cannot be computed as it stands; F8 goes to what is wrong."};
  }
  if (session.computing()) {
    const auto running = session.computing_for(std::chrono::steady_clock::now());
    if (std::chrono::duration<double>(running).count() >= 0.15) {
      return {"Computing", c.accent, "What is shown is older than the request until this is done."};
    }
  }
  if (session.trace() == nullptr) return {"Starting", c.accent, "The first result is being computed."};
  return {"Live", c.ok, "What is shown is the result of the request as it stands: it follows whatever you change."};
}

// The layer that is shown until the one that the request asks for is there.
std::optional<std::int64_t> layer_meanwhile(const Session& session) {
  const auto trace = session.trace();
  if (trace == nullptr || trace->model == nullptr || session.stale()) return std::nullopt;
  if (!has_more_to_come(*trace->model)) return std::nullopt;
  const std::int64_t asked = session.draft.layer.value_or(std::ssize(trace->model->layers) - 1);
  return trace->model->layer == asked ? std::nullopt : std::optional(trace->model->layer);
}

std::string duration_text(double seconds) {
  const double ms = seconds * 1e3;
  if (ms < 1) return fmt::format("{:.2f} ms", ms);
  if (ms < 10) return fmt::format("{:.1f} ms", ms);
  if (ms < 1000) return fmt::format("{:.0f} ms", ms);
  return fmt::format("{:.1f} s", seconds);
}

// "forward 2.1 ms", "forward 0.05 ms, from weights on", "forward 0.4 ms, 1 of 40 tokens new": the rest was computed for
// the result before.
std::string forward_words(const Trace& trace) {
  const std::string part = computed_words(trace);
  return fmt::format("forward {}{}{}", duration_text(trace.seconds), part.empty() ? "" : ", ", part);
}

constexpr const char* kPinned = "status/pinned";
constexpr const char* kBack = "Esc goes back to one layer";

// The keys of what has the focus in one layer's panels, and in views whose row names none.
std::vector<std::string> keys_by_focus(const Ui& ui) {
  const std::string& focus = ui.state.focus;
  if (focus.starts_with("views")) return {"Left Right choose a view", "Enter opens it"};
  if (focus.starts_with("split/")) return {"Arrows move the border", "Del puts it back"};
  if (focus == "phrase" || focus == "key_phrase" || focus == "second_phrase")
    return {"F1 help and keys", "Ctrl+E exports", "Tab goes to the next control"};
  const HeadsShow shows = ui.session.view.heads_show;
  const bool beside = focus.starts_with("heads") || focus.starts_with("inspector");
  if (beside && shows == HeadsShow::arcs)
    return {"Click a token to keep its lines", "0\u20139 switch heads on and off", "S saves an SVG"};
  if (beside && shows == HeadsShow::neurons)
    return {"Up Down choose the key", "Left Right choose the query", "S saves an SVG"};
  if (focus.starts_with("layers"))
    return {"Arrows choose a head", "Enter opens it", "X switches it off", "Ctrl+H more changes"};
  if (focus.starts_with("follow"))
    return {"Left Right go through the stages", "Up Down choose the token", "Click a number to go to it"};
  if (focus.starts_with("heads"))
    return {"Arrows choose a head", "X switches it off", "Ctrl+H more changes", "Ctrl+C copies the number"};
  if (focus.starts_with("inspector"))
    return {"Arrows pick a number", "Ctrl+F finds a number", "Home shows the whole picture",
            "Ctrl+C copies the number"};
  if (focus.starts_with("pipeline"))
    return {"Left Right choose a stage", "Ctrl+C copies the number", "F6 shows names or pictures"};
  if (focus.starts_with("request")) return {"Up Down change the value", "Ctrl+Z takes it back", "F9 closes the panel"};
  return {"F1 help and keys", "Ctrl+E exports", "F9 opens or closes the request"};
}

// What keys do now, most useful first: short sentences that begin with the key.
std::vector<std::string> keys_of(Ui& ui) {
  if (ui.session.problem()) return {"F8 goes to the problem", "Ctrl+Z takes the change back"};
  if (ui.state.dialog != DialogKind::none) return {"Esc closes the dialog", "Tab goes to the next control"};
  const OnScreen& shown = ui.state.panels.get<ShellState>().on_screen;
  if (shown.request_over) return {"Esc closes the request", "Up Down change the value", "Ctrl+Z takes it back"};
  const MainViewInfo& view = main_view_info(shown_main_view(ui));
  std::vector<std::string> keys;
  if (view.view != MainView::layer || shown.enlarged) keys.emplace_back(kBack);
  keys.insert(keys.end(), view.keys.begin(), view.keys.end());
  if (view.keys.empty()) {
    for (const std::string& key : keys_by_focus(ui)) keys.push_back(key);
  }
  return keys;
}

// At the right, as many as there is room for.
void draw_keys(Ui& ui, Rect& line) {
  std::vector<std::string> keys = keys_of(ui);
  const auto width = [&](const std::string& key) { return std::ceil(text_width(ui, Type::words12, key)) + 1; };
  float room = line.width() - ui.px(380);
  std::size_t count = 0;
  while (count < keys.size() && width(keys[count]) + ui.px(16) <= room) room -= width(keys[count++]) + ui.px(16);
  keys.resize(count);
  for (auto key = keys.rbegin(); key != keys.rend(); ++key) {
    text_in(ui, take_right(line, width(*key), ui.px(16)), Type::words12, ui.colors.text2, *key, 1);
  }
}

void draw_job(Ui& ui, Rect& line) {
  const Job job = ui.session.jobs.current();
  if (!job.running || ui.state.dialog != DialogKind::none) return;
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - job.started).count();
  if (seconds < 0.5) return ui.wake_in(0.5 - seconds);
  ui.wake_in(0.1);
  Rect place = take_right(line, ui.px(360), ui.px(14));
  const Rect cancel = inset(take_right(place, ui.px(70), ui.px(10)), ui.px(2));
  if (button(ui, "status/cancel", cancel, "Cancel")) ui.session.jobs.cancel();
  const std::string share = fmt::format("{:.0f}%", job.progress * 100);
  text_in(ui, take_right(place, ui.px(36), ui.px(8)), Type::mono12, ui.colors.text2, share, 1);
  const Rect words =
      take_left(place, std::min(ui.px(150), std::ceil(text_width(ui, Type::words12, job.title))), ui.px(10));
  text_in(ui, words, Type::words12, ui.colors.text2, job.title);
  const float top = std::round(place.center().y - ui.px(5));
  progress_bar(ui, {{place.min.x, top}, {place.max.x, top + ui.px(10)}}, job.progress);
}

// Times the request on the CPU and on the GPU; the result is a notice.
void draw_comparison(Ui& ui, Rect& line) {
  const std::string words = "Compare backends";
  const float width = std::ceil(text_width(ui, Type::words12, words)) + ui.px(20);
  if (line.width() < width + ui.px(26) || ui.session.jobs.current().running) return;
  line.min.x += ui.px(14);
  const ControlState state{true, false,
                           "Computes the same on the CPU and on the GPU, and says how long each takes and how far the "
                           "numbers differ."};
  if (button(ui, "status/compare", inset(take_left(line, width, 0), ui.px(2)), words, state)) {
    ui.push(CommandId::compare_backends);
  }
}

// "A is pinned": leads to where A is seen beside the current result, and there offers to let it go.
void draw_pinned(Ui& ui, const Rect& place) {
  const bool compared = shown_main_view(ui) == MainView::compare;
  const ControlState state{
      true, false,
      compared ? "Click to let A go." : "Click to see A, the result that you pinned, beside the current one (Ctrl+D)."};
  const Interaction it = interact(ui, kPinned, place, state);
  text_in(ui, place, Type::words12, ui.colors.accent, "A is pinned");
  if (it.hovered) horizontal_line(ui, place.min.x, place.max.x, place.max.y - ui.px(4), ui.colors.accent);
  if (it.focused && ui.state.focus_by_keyboard) focus_ring(ui, inset(place, ui.px(5)), ui.px(size::radius_inner));
  if (take_chosen(ui, kPinned) == 0) ui.push(CommandId::unpin);
  if (it.clicked && !compared) ui.push(CommandId::toggle_compare);
  if (it.clicked && compared) ui.state.open_combo = kPinned;
  MenuLine unpin;
  unpin.label = "Unpin A";
  if (ui.state.open_combo == kPinned) show_menu(ui, kPinned, place, {unpin}, ui.px(120));
}

// Facts in a line, with rules between them, as many as there is room for.
class Facts {
 public:
  Facts(Ui& ui, Rect& line) : ui_(ui), line_(line) {}

  // The place of a fact; empty where there is no room.
  Rect place_of(const std::string& words) {
    const float width = std::ceil(text_width(ui_, Type::words12, words));
    if (line_.width() < width + ui_.px(26)) return Rect();
    if (!first_) {
      line_.min.x += ui_.px(12);
      const float middle = std::round(line_.center().y);
      vertical_line(ui_, line_.min.x, middle - ui_.px(6), middle + ui_.px(6), ui_.colors.line);
      line_.min.x += ui_.px(12);
    }
    first_ = false;
    return take_left(line_, width + 1, 0);
  }

  // `help`: one sentence, which is shown to who waits over the words.
  void say(const char* name, const std::string& words, Rgba color, const char* help) {
    const Rect place = place_of(words);
    if (place.width() <= 0) return;
    text_in(ui_, place, Type::words12, color, words);
    interact_mouse(ui_, name, place, {true, false, help}, false);
  }

 private:
  Ui& ui_;
  Rect& line_;
  bool first_ = true;
};

}  // namespace

void draw_status_bar(Ui& ui, const Rect& area) {
  const Palette& c = ui.colors;
  ui.mark("status", area);
  Rect line{{area.min.x + ui.px(size::panel_padding), area.min.y + std::max(1.0f, ui.px(1))},
            {area.max.x - ui.px(size::panel_padding), area.max.y}};
  const Status status = status_of(ui);
  const float r = ui.px(4);
  canvas().AddCircleFilled({line.min.x + r, std::round(line.center().y)}, r, color32(status.dot), 20);
  line.min.x += ui.px(14);

  draw_keys(ui, line);
  draw_job(ui, line);

  Facts facts(ui, line);
  facts.say("status/state", status.words, c.text, status.help);
  ui.mark("status/" + status.words, area);
  const auto trace = ui.session.trace();
  const bool blanks = take_unsaid_blanks(ui);
  if (trace == nullptr) return;
  if (blanks) {
    facts.say(
        "status/blank", kBlankWords, c.text2,
        "A cell without a number holds less than half a unit of the last digit that its picture writes; point at the "
        "cell to read it.");
  }
  if (trace->preview) {
    facts.say("status/preview", "preview", c.text2, "Quickly computed numbers; the exact ones are on their way.");
  }
  if (const std::optional<std::int64_t> layer = layer_meanwhile(ui.session)) {
    facts.say("status/layer", fmt::format("layer {} meanwhile", *layer), c.text2,
              "The layer that is asked for is not computed yet: until it is, the newest one below it is shown.");
  }
  if (ui.session.pinned() != nullptr) {
    const Rect place = facts.place_of("A is pinned");
    if (place.width() > 0) draw_pinned(ui, place);
  }
  facts.say("status/time", forward_words(*trace), c.text2,
            "How long the last result took. What did not change is taken from the result before.");
  facts.say("status/backend", trace->backend_description, c.text2,
            "What computed it. The Request has the choice, under Compute.");
  const std::int64_t tokens = trace->query_len();
  facts.say("status/tokens", fmt::format("{} token{}", grouped_digits(tokens), tokens == 1 ? "" : "s"), c.text2,
            "The pieces into which the text is cut.");
  draw_comparison(ui, line);
}

}  // namespace headscope::ui
