#include "app/frame/window_loop.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "app/frame/autosave.h"
#include "app/frame/frame.h"
#include "app/frame/graphics_recovery.h"
#include "app/frame/keystroke_times.h"
#include "app/frame/lent_context.h"
#include "app/frame/lesson_pictures.h"
#include "app/frame/memory_recovery.h"
#include "app/frame/other_programs.h"
#include "app/frame/probe_file.h"
#include "app/frame/report_command.h"
#include "app/frame/session_options.h"
#include "app/frame/start.h"
#include "app/frame/window_picture.h"
#include "app/gl/context_lender.h"
#include "app/gl/driver_call.h"
#include "app/gl/framebuffer.h"
#include "app/gl/lost_context.h"
#include "app/gl/offscreen.h"
#include "app/platform/end_signals.h"
#include "app/platform/window.h"
#include "app/session/background/work/waiting_work.h"
#include "app/session/session_slot.h"
#include "app/ui/document_title.h"
#include "core/base/memory_failures.h"
#include "core/base/standard_streams.h"

namespace headscope {
namespace {

using Clock = std::chrono::steady_clock;

// Panels answer to a click or a key over a few frames (focus, lists, measured sizes); then nothing is drawn.
constexpr int kFramesAfterEvent = 3;
// Time for the worker before a frame is drawn without its result.
constexpr std::chrono::milliseconds kPatienceWithResult{8};
// GLFW 3.3 can lose the event that another thread posts: while one is due, look again by ourselves.
constexpr double kLookAgainSeconds = 0.1;

class WindowLoop {
 public:
  WindowLoop(const Options& options, Clock::time_point started) : options_(options), started_(started) {
    std::string notice;
    settings_ = load_settings(notice);
    const auto make_context = [lender = lender_] {
      auto borrowed = lender.borrow();
      return borrowed != nullptr ? std::move(borrowed) : make_offscreen_context({4, 3, true});
    };
    const auto wake = [this] { wake_when_ready(); };
    session_ = std::make_unique<Session>(make_thread_executor(), wake, session_options(settings_, make_context));
    ui::UiState state;
    add_notice(state, ui::Notice::Kind::warn, "settings", notice);
    note_fonts(state);
    open_first(*session_, settings_, state, options.path, &slot_);
    if (options.theme) settings_.theme = *options.theme;
    session_->update(Clock::now());  // the first result is computed while the window opens
    window_ = make_window("Headscope", options.width > 0 ? options.width : settings_.window_width,
                          options.height > 0 ? options.height : settings_.window_height);
    end_signals_ = watch_end_signals(wake_window);
    others_ = std::make_unique<OtherPrograms>(options, *session_, state, wake);
    window_ready_ = true;
    drawer_ = std::make_unique<FrameDrawer>();
    drawer_->state = std::move(state);
    surface_.get_clipboard = [this] { return window_->clipboard(); };
    surface_.set_clipboard = [this](const std::string& text) { window_->set_clipboard(text); };
    add_voice(surface_);
  }

  // `loop` is kept by what the window calls: a page of a browser goes on when this has returned.
  static void run(const std::shared_ptr<WindowLoop>& loop) {
    loop->window_->run({.turn = [loop] { return loop->go_on(); },
                        .seconds_to_sleep = [loop] { return loop->seconds_to_sleep(); },
                        .work = run_waiting_work,
                        .end = [loop] { loop->save(); }});
  }

 private:
  void save_before_the_end() {
    forget_failed_allocations();
    autosave_.save_now(*session_, settings_);
  }

  // One turn; false once the window is closed.
  bool go_on() {
    if (window_->should_close() || end_signals_->ended() || others_->ended()) return false;
    try {
      lend_context(lender_, *window_, *drawer_);
      const bool came_early = !early_input_.empty();
      InputEvents input = came_early ? std::move(early_input_.front()) : window_->wait(seconds_to_sleep());
      if (came_early) early_input_.pop_front();
      if (lesson_pictures_.running()) input = LessonPictures::input_of(std::move(input));
      if (input.woken || !input.empty()) frames_due_ = kFramesAfterEvent;
      memory_.tell(drawer_->state);
      turn_with_memory(std::move(input));
      if (graphics_.recover(*window_, drawer_)) frames_due_ = kFramesAfterEvent;
    } catch (const Error&) {
      save_before_the_end();
      throw;
    }
    return true;
  }

  void turn_with_memory(InputEvents input) {
    try {
      turn(std::move(input), Clock::now());
      memory_.note_drawn(*session_);
    } catch (const std::bad_alloc&) {
      memory_.give_up_frame(*session_, *drawer_);
      autosave_.save_now(*session_, settings_);
      frames_due_ = kFramesAfterEvent;
    } catch (const Error&) {  // a driver that has lost the context refuses everything
      if (!context_is_lost()) throw;
    }
  }

  bool working() const {
    return session_->computing() || session_->jobs.current().running || session_->background.busy();
  }

  void turn(InputEvents input, Clock::time_point now) {
    autosave_.save_if_due(*session_, now);
    if (others_->serve(*session_, settings_, drawer_->state)) frames_due_ = kFramesAfterEvent;
    say_what_is_saved(autosave_, drawer_->state);
    frames_due_ = std::max(frames_due_ - 1, 0);
    draw_frame(std::move(input), now);
  }

  double seconds_to_sleep() const {
    if (frames_due_ > 0 || drawer_->state.wants_frame || !early_input_.empty()) return 0;
    double seconds = drawer_->state.wake_after;
    const auto at_most = [&](double limit) {
      if (limit >= 0 && (seconds < 0 || limit < seconds)) seconds = limit;
    };
    if (working()) at_most(kLookAgainSeconds);
    at_most(session_->seconds_until_due(Clock::now()));
    at_most(autosave_.seconds_left(Clock::now()));
    return seconds;
  }

  void draw_frame(InputEvents input, Clock::time_point now) {
    const std::pair size_before(surface_.width, surface_.height);
    window_->framebuffer_size(surface_.width, surface_.height);
    if (size_before != std::pair(surface_.width, surface_.height)) frames_due_ = kFramesAfterEvent;
    if (surface_.width < 1 || surface_.height < 1) return;  // minimised
    surface_.content_scale = options_.scale > 0 ? options_.scale : window_->content_scale();

    session_->update(now);
    if (before_frame_ != session_->draft) before_frame_ = session_->draft;
    const std::shared_ptr<const Trace> drawn = session_->trace();
    const double seconds = std::chrono::duration<double>(now - started_).count();
    auto commands = drawer_->make(*session_, settings_, surface_, std::move(input), seconds);
    bool edited = session_->draft != before_frame_, caught_up = false;
    if (edited) {
      if (!options_.probe.empty()) keystrokes_.add(now, session_->draft);
      frames_due_ = kFramesAfterEvent;
      caught_up = await_result(now);
      if (caught_up) {
        for (ui::Command& more : drawer_->make(*session_, settings_, surface_, {}, seconds)) commands.push_back(more);
      }
    }
    const auto shown = caught_up ? session_->trace() : drawn;
    const bool shows_draft = shown != nullptr && !session_->stale() && (caught_up || !edited);
    drawer_->render(surface_);
    if (picture_path_) {
      take_window_picture(*std::exchange(picture_path_, std::nullopt), drawn_window(seconds));
      frames_due_ = kFramesAfterEvent;
    }
    in_driver([&] { window_->swap(); });

    timing_.ui_ms = drawer_->ui_ms;
    note_frame(timing_, started_, now, shows_draft);
    keystrokes_.note(shown.get(), Clock::now(), timing_.keystrokes_ms);
    if (session_->problem()) keystrokes_.forget();
    if (shown != last_shown_) frames_due_ = kFramesAfterEvent;
    last_shown_ = shown;
    autosave_.note_changes(*session_, settings_, now);
    obey(commands);
    show_title();
    window_->set_cursor(cursor_shape());
    const bool settled = !working() && frames_due_ == 0, resting = settled && !drawer_->state.wants_frame;
    if (settled) slot_.end_start();
    if (lesson_pictures_.running() && resting) take_lesson(seconds);
    if (options_.probe.empty()) return;
    write_probe(options_.probe, {++frame_, resting, surface_, *session_, settings_, *drawer_, timing_});
  }

  DrawnWindow drawn_window(double seconds) { return {*drawer_, *session_, settings_, surface_, seconds}; }

  void take_lesson(double seconds) {
    try {
      lesson_pictures_.take(*session_, settings_, drawer_->state,
                            [&] { return window_pixels_at(settings_.export_scale, drawn_window(seconds)); });
    } catch (const Error& error) {
      add_notice(drawer_->state, ui::Notice::Kind::bad, "lesson", error.what());
    }
    frames_due_ = kFramesAfterEvent;
  }

  // Hands the edited draft to the worker and waits for the twinkling of an eye: what is computed in time is on screen
  // one frame earlier, and the frame without it need not be drawn. True when nothing is being computed any more.
  bool await_result(Clock::time_point now) {
    session_->update(now);
    const Clock::time_point end = Clock::now() + kPatienceWithResult;
    while (session_->computing() && Clock::now() < end) {
      InputEvents input = window_->wait(std::chrono::duration<double>(end - Clock::now()).count());
      if (!input.empty()) early_input_.push_back(std::move(input));
      session_->update(Clock::now());
      lend_context(lender_, *window_, *drawer_);
    }
    const bool done = !session_->computing();
    session_->update(Clock::now());  // takes what was finished since
    return done;
  }

  // The commands that need the window itself; the shell has executed all others.
  void obey(const std::vector<ui::Command>& commands) {
    for (const ui::Command& command : commands) {
      if (command.id == ui::CommandId::quit) window_->request_close(true);
      if (command.id == ui::CommandId::open_kept_session) {
        open_kept_session(*session_, settings_, drawer_->state, autosave_, command.argument);
      }
      // Of the next frame: the dialog that asked for it is gone then.
      if (command.id == ui::CommandId::show_window_picture) picture_path_ = command.argument;
      if (command.id == ui::CommandId::lesson_pictures) lesson_pictures_.start(*session_, drawer_->state);
      if (command.id == ui::CommandId::report_problem) copy_problem_report(surface_, drawer_->state);
    }
    if (!commands.empty()) frames_due_ = kFramesAfterEvent;
  }

  void wake_when_ready() {
    if (window_ready_) wake_window();
  }

  void show_title() {
    const std::string title = drawer_->state.panels.get<ui::DocumentState>().title + " - Headscope";
    if (title != title_) window_->set_title(title_ = title);
  }

  void save() {
    keep_window_size(settings_, surface_.width, surface_.height, window_->content_scale());
    const std::string complaint = autosave_.save_now(*session_, settings_);
    if (!complaint.empty()) say_on_standard_error("warning: " + complaint + "\n");
  }

  const Options options_;
  const Clock::time_point started_;
  SessionSlot slot_;
  // Destroyed in reverse: the worker first, which wakes the window; the textures before the window, whose context they
  // need; Dear ImGui last.
  const ImGuiGuard imgui_;
  Settings settings_;
  std::unique_ptr<Window> window_;
  std::unique_ptr<EndSignals> end_signals_;
  std::unique_ptr<FrameDrawer> drawer_;
  std::atomic<bool> window_ready_ = false;
  const ContextLender lender_{[this] { wake_when_ready(); }};
  std::unique_ptr<Session> session_;
  // No thread may wait in borrow() when the session ends.
  struct Closing {
    const ContextLender& lender;
    ~Closing() { lender.close(); }
  } closing_{lender_};

  std::unique_ptr<OtherPrograms> others_;
  Surface surface_;
  Autosave autosave_{make_thread_executor(), slot_.suffix(), [this] { wake_when_ready(); }};
  std::string title_;
  std::optional<std::string> picture_path_;
  LessonPictures lesson_pictures_;
  MemoryRecovery memory_;
  GraphicsRecovery graphics_;
  std::shared_ptr<const Trace> last_shown_;
  std::deque<InputEvents> early_input_;  // came while a result was awaited, oldest first
  Request before_frame_;                 // the draft when a frame began; copied when it changes, not in every frame
  int frames_due_ = kFramesAfterEvent;
  std::int64_t frame_ = 0;
  FrameTiming timing_;
  KeystrokeTimes keystrokes_;
  const LastWords save_first_{[this] { save_before_the_end(); }};
};

}  // namespace

void run_window(const Options& options, Clock::time_point started) {
  WindowLoop::run(std::make_shared<WindowLoop>(options, started));
}

}  // namespace headscope
