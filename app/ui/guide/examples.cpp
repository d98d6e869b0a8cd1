#include "app/ui/guide/examples.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/session/documents.h"
#include "app/session/panel_layout.h"
#include "app/session/session.h"
#include "app/session/settings.h"
#include "app/session/state_json.h"
#include "app/ui/document_title.h"
#include "app/ui/guide/embedded_texts.h"
#include "app/ui/guide/tour.h"
#include "app/ui/stage_facts.h"
#include "core/base/error.h"
#include "core/export/session_file.h"

namespace headscope::ui {
namespace {

using Json = nlohmann::json;

StageId stage_from(const std::string& name) {
  const std::optional<StageId> stage = stage_named(name);
  if (!stage) throw Error(fmt::format("'{}' is no stage", name));
  return *stage;
}

const Example* open_one(const Ui& ui) {
  const std::string& id = ui.state.panels.get<ExampleState>().id;
  for (const Example& example : all_examples()) {
    if (example.id == id) return &example;
  }
  return nullptr;
}

void close_example(Ui& ui) {
  ui.state.panels.forget<ExampleState>();
  if (ui.state.focus.starts_with("mistake/")) ui.state.focus = "phrase";
  forget_callout(ui);
}

// Goes to where the mistake is seen.
void show_mistake(Ui& ui, const Example& example, std::size_t at) {
  ui.state.panels.get<ExampleState>().mistake = at;
  ui.state.focus = ui.state.focus_before_dialog = "mistake/next";  // a dialog that closes gives the focus back
  ui.state.focus_by_keyboard = true;
  show_place(ui, example.mistakes[at].place);
}

}  // namespace

const std::string& example_text(const Language& language, const Example& example, const char* what) {
  return language.text(fmt::format("examples/{}/{}", example.id, what));
}

const std::string& mistake_text(const Language& language, const Example& example, const ExampleMistake& mistake,
                                const char* what) {
  return language.text(fmt::format("examples/{}/mistakes/{}/{}", example.id, mistake.id, what));
}

Example parse_example(const std::string& id, const std::string& json) {
  try {
    const Json root = Json::parse(json);
    Example example;
    example.id = id;
    example.request = parse_session(root.at("request").dump(), id).request;
    example.stage = stage_from(root.at("stage").get<std::string>());
    if (root.contains("head")) example.head = root.at("head").get<std::int64_t>();
    if (root.contains("cell")) example.cell = Cell{root.at("cell").at(0), root.at("cell").at(1)};
    if (root.contains("view")) example.view = parse_view_state(root.at("view").dump());
    for (const Json& each : root.at("mistakes")) {
      ExampleMistake mistake{each.at("id").get<std::string>(), {}};
      mistake.place.stage = stage_from(each.at("stage").get<std::string>());
      mistake.place.controls = each.at("controls").get<std::vector<std::string>>();
      if (mistake.place.controls.empty()) throw Error(mistake.id + " points at nothing");
      if (each.contains("head")) mistake.place.head = each.at("head").get<std::int64_t>();
      if (each.contains("cell")) mistake.place.cell = Cell{each.at("cell").at(0), each.at("cell").at(1)};
      example.mistakes.push_back(std::move(mistake));
    }
    return example;
  } catch (const Json::exception& wrong) {
    throw Error(fmt::format("example '{}': {}", id, wrong.what()));
  } catch (const Error& wrong) {
    throw Error(fmt::format("example '{}': {}", id, wrong.what()));
  }
}

const std::vector<Example>& all_examples() {
  static const std::vector<Example> all = [] {
    std::vector<Example> examples;
    for (const EmbeddedText& file : example_files()) examples.push_back(parse_example(file.name, file.text));
    return examples;
  }();
  return all;
}

void open_example(Ui& ui, const std::string& id) {
  for (const Example& example : all_examples()) {
    if (example.id != id) continue;
    ViewState view = ui.session.view;
    const ViewState fresh;
    view.main_view = MainView::layer;
    if (example.view) {
      view.main_view = example.view->main_view;
      view.lens = example.view->lens;
      view.sweep = example.view->sweep;
      view.gradients = example.view->gradients;
      view.score = example.view->score;
      view.circuits = example.view->circuits;
      view.scatter = example.view->scatter;
    }
    view.heads_show = usual_heads(ui.settings);
    view.lesson.clear();
    view.batch = 0;
    view.head = example.head;
    view.viewport = view.stage_viewport = fresh.viewport;
    view.concat_collapsed = view.inspector_collapsed = false;
    select_stage(view, example.stage);
    view.cell = example.cell;
    const std::string title = example_text(language_of(ui), example, "title");
    ui.session.open(example.request, view, {title, example.request.phrase});
    note_opened(ui.state, title, {example.request});
    ui.state.edits.clear();
    ui.state.editing.clear();
    ui.state.panels.get<TourState>().step.reset();
    if (example.mistakes.empty()) {
      close_example(ui);
    } else {
      ui.state.panels.get<ExampleState>() = {.id = example.id, .title = title, .mistake = {}};
    }
    std::erase_if(ui.state.notices, [](const Notice& n) { return n.key == "open"; });
    return;
  }
}

void draw_example_mistakes(Ui& ui, const Rect& window) {
  const Example* example = open_one(ui);
  if (example == nullptr) return;
  // Another document took its place.
  auto& state = ui.state.panels.get<ExampleState>();
  if (ui.session.document.title != state.title || tour_runs(ui)) return close_example(ui);
  const auto trace = ui.session.trace();
  if (trace == nullptr || ui.session.stale()) return;
  if (!state.mistake) show_mistake(ui, *example, 0);
  const auto count = example->mistakes.size();
  const std::size_t at = state.mistake.value_or(0);
  const ExampleMistake& mistake = example->mistakes[at];
  const Language& language = language_of(ui);
  const auto word = [&](const char* name) { return language.text(std::string("words/") + name); };
  const std::string& title = example_text(language, *example, "title");
  Callout callout;
  callout.name = "mistake";
  callout.controls = mistake.place.controls;
  const std::string& control = callout.controls.front();
  callout.beside = control.starts_with("request/") || control == "inspector/cell";  // its neighbours belong to it
  callout.counter = filled_in(word("mistake"), {{"tutorial", title.substr(0, title.find(':'))},
                                                {"step", std::to_string(at + 1)},
                                                {"steps", std::to_string(count)}});
  callout.title = mistake_text(language, *example, mistake, "title");
  callout.text = mistake_text(language, *example, mistake, "text");
  callout.go = word("go");
  callout.back = at > 0 ? word("back") : "";
  callout.next = word(at + 1 < count ? "next" : "done");
  callout.leave = at + 1 < count ? word("close") : "";
  callout.is_warning = true;
  switch (draw_callout(ui, window, callout, language)) {
    case CalloutAction::none:
      return;
    case CalloutAction::go:
      return show_place(ui, mistake.place);
    case CalloutAction::back:
      return show_mistake(ui, *example, at - 1);
    case CalloutAction::next:
      return at + 1 < count ? show_mistake(ui, *example, at + 1) : close_example(ui);
    case CalloutAction::leave:
      return close_example(ui);
  }
}

}  // namespace headscope::ui
