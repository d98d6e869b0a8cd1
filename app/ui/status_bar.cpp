// The bottom line: whether the shown result is current, how long it took and on which backend, and the keys that work
// here.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "app/session/session.h"
#include "app/ui/main_view.h"
#include "app/ui/panels.h"
#include "app/ui/widgets/widgets.h"

namespace headscope::ui {

namespace {

struct Status {
  std::string words;
  Rgba dot;
};

Status status_of(Ui& ui) {
  const Session& session = ui.session;
  const Palette& c = ui.colors;
  if (!session.failure().empty()) return {"Not computed", c.bad};
  if (session.problem()) return {session.trace() ? "Shows the last good result" : "Cannot run", c.warn};
  if (session.computing()) {
    const auto running = session.computing_for(std::chrono::steady_clock::now());
    if (std::chrono::duration<double>(running).count() >= 0.15) return {"Computing", c.accent};
  }
  return {session.trace() ? "Live" : "Starting", session.trace() ? c.ok : c.accent};
}

std::string duration_text(double seconds) {
  const double ms = seconds * 1e3;
  if (ms < 1) return fmt::format("{:.2f} ms", ms);
  if (ms < 10) return fmt::format("{:.1f} ms", ms);
  if (ms < 1000) return fmt::format("{:.0f} ms", ms);
  return fmt::format("{:.1f} s", seconds);
}

// The keys of the focused panel, most useful first.
std::vector<std::string> keys_of(Ui& ui) {
  const std::string& focus = ui.state.focus;
  if (ui.session.problem()) return {"F8 next problem", "Ctrl+Z undo"};
  if (ui.state.dialog != DialogKind::none) return {"Esc close", "Tab next control"};
  if (focus == "phrase" || focus == "key_phrase" || focus == "second_phrase")
    return {"F1 help", "Ctrl+E export", "Tab next control"};
  const HeadsShow shows = ui.session.view.heads_show;
  const bool beside = focus.starts_with("heads") || focus.starts_with("inspector");
  if (beside && shows == HeadsShow::arcs)
    return {"Click a token to pin it", "1\u20139 heads on and off", "S saves as SVG"};
  if (beside && shows == HeadsShow::neurons) return {"Up Down key", "Left Right query", "S saves as SVG"};
  const MainViewInfo& view = main_view_info(ui.session.view.main_view);
  if (!view.keys.empty()) return {view.keys.begin(), view.keys.end()};
  if (focus.starts_with("layers"))
    return {"Arrows move", "Enter opens", "X switches a head off", "Ctrl+H holds it", "F3 one layer"};
  if (focus.starts_with("follow")) return {"Left Right step", "Up Down token", "Click an operand to jump to it"};
  if (focus.starts_with("heads")) return {"Arrows head", "X off", "Ctrl+H hold", "Ctrl+C copy number"};
  if (focus.starts_with("inspector")) return {"Arrows cell", "Ctrl+F fit", "Ctrl+C copy number"};
  if (focus.starts_with("pipeline")) return {"Left Right stage", "Ctrl+C copy number", "F6 names only"};
  if (focus.starts_with("request")) return {"Up Down change", "Ctrl+Z undo", "F9 request panel"};
  return {"F1 help", "F9 request panel", "Ctrl+E export"};
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
  if (button(ui, "status/compare", inset(take_left(line, width, 0), ui.px(2)), words)) {
    ui.push(CommandId::compare_backends);
  }
}

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

  const auto keys = keys_of(ui);
  for (auto key = keys.rbegin(); key != keys.rend(); ++key) {
    const float width = std::ceil(text_width(ui, Type::words12, *key));
    if (line.width() < width + ui.px(300)) break;
    text_in(ui, take_right(line, width + 1, ui.px(11)), Type::words12, c.text2, *key, 1);
  }
  draw_job(ui, line);

  bool first = true;
  const auto fact = [&](const std::string& words, Rgba color) {
    const float width = std::ceil(text_width(ui, Type::words12, words));
    if (line.width() < width + ui.px(26)) return;
    if (!first) {
      line.min.x += ui.px(12);
      const float middle = std::round(line.center().y);
      vertical_line(ui, line.min.x, middle - ui.px(6), middle + ui.px(6), c.line);
      line.min.x += ui.px(12);
    }
    first = false;
    text_in(ui, take_left(line, width + 1, 0), Type::words12, color, words);
  };
  fact(status.words, c.text);
  const bool preview = ui.session.trace() != nullptr && ui.session.trace()->preview;
  if (preview) fact("preview", c.text2);
  ui.mark("status/" + status.words, area);
  if (preview) ui.mark("status/preview", area);
  if (const auto trace = ui.session.trace()) {
    fact("forward " + duration_text(trace->seconds), c.text2);
    fact(trace->backend_description, c.text2);
    const std::int64_t tokens = trace->query_len();
    fact(fmt::format("{} token{}", tokens, tokens == 1 ? "" : "s"), c.text2);
    if (ui.session.pinned() != nullptr) {
      fact("A is pinned", c.accent);
      ui.mark("status/pinned", area);
    }
    draw_comparison(ui, line);
  }
}

}  // namespace headscope::ui
