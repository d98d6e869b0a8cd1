#include "app/ui/examples.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "app/session/documents.h"
#include "app/ui/callout.h"
#include "app/ui/embedded_texts.h"
#include "app/ui/stage_facts.h"
#include "app/ui/tour.h"
#include "core/error.h"
#include "core/io/session_file.h"

namespace headscope::ui {
namespace {

using Json = nlohmann::json;

constexpr const char* kId = "example/id";            // the open one, in UiState::text
constexpr const char* kMistake = "example/mistake";  // the one that is shown, in UiState::number

StageId stage_from(const std::string& name) {
  const std::optional<StageId> stage = stage_named(name);
  if (!stage) throw Error(fmt::format("'{}' is no stage", name));
  return *stage;
}

const Example* open_one(const Ui& ui) {
  const auto found = ui.state.text.find(kId);
  if (found == ui.state.text.end()) return nullptr;
  for (const Example& example : all_examples()) {
    if (example.id == found->second) return &example;
  }
  return nullptr;
}

void close_example(Ui& ui) {
  ui.state.text.erase(kId);
  ui.state.number.erase(kMistake);
  if (ui.state.focus.starts_with("mistake/")) ui.state.focus = "phrase";
  forget_callout(ui);
}

// Goes to where the mistake is seen.
void show_mistake(Ui& ui, const Example& example, std::size_t at) {
  ui.state.number[kMistake] = static_cast<double>(at);
  ui.state.focus = "mistake/next";
  ui.state.focus_by_keyboard = true;
  ui.session.view.main_view = MainView::layer;
  const ExampleMistake& mistake = example.mistakes[at];
  select_stage(ui.session.view, mistake.stage);
  // The rarely used options are folded away.
  if (mistake.controls.front().starts_with("request/")) {
    ui.state.number["request/more"] = 1;
    ui.state.number[mistake.controls.front().find("mask") != std::string::npos ? "request/mask/more" : "request/more"] =
        1;
  }
  ui.state.wants_frame = true;
}

}  // namespace

Example parse_example(const std::string& id, const std::string& json) {
  try {
    const Json root = Json::parse(json);
    Example example;
    example.id = id;
    example.title = root.at("title").get<std::string>();
    example.about = root.at("about").get<std::string>();
    example.request = parse_session(root.at("request").dump(), id).request;
    example.stage = stage_from(root.at("stage").get<std::string>());
    for (const Json& each : root.at("mistakes")) {
      ExampleMistake mistake{each.at("title").get<std::string>(), each.at("text").get<std::string>(),
                             stage_from(each.at("stage").get<std::string>()),
                             each.at("controls").get<std::vector<std::string>>()};
      if (mistake.controls.empty()) throw Error(mistake.title + " points at nothing");
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
    view.heads_show = HeadsShow::grid;
    view.batch = view.head = 0;
    view.cell.reset();
    view.viewport = view.stage_viewport = fresh.viewport;
    view.concat_collapsed = view.inspector_collapsed = false;
    select_stage(view, example.stage);
    ui.session.open(example.request, view);
    ui.state.title = example.title;
    ui.state.edits.clear();
    ui.state.editing.clear();
    ui.state.number.erase("tour/at");
    ui.state.text[kId] = example.id;
    ui.state.number[kMistake] = -1;
    std::erase_if(ui.state.notices, [](const Notice& n) { return n.key == "open"; });
    return;
  }
}

void draw_example_mistakes(Ui& ui, const Rect& window) {
  const Example* example = open_one(ui);
  if (example == nullptr) return;
  // Another document took its place.
  if (ui.state.title != example->title || tour_runs(ui)) return close_example(ui);
  const auto trace = ui.session.trace();
  if (trace == nullptr || ui.session.stale()) return;
  double& shown = ui.state.number[kMistake];
  if (shown < 0) show_mistake(ui, *example, 0);
  const auto count = example->mistakes.size();
  const std::size_t at = std::min(static_cast<std::size_t>(shown), count - 1);
  const ExampleMistake& mistake = example->mistakes[at];
  Callout callout;
  callout.name = "mistake";
  callout.controls = mistake.controls;
  callout.counter =
      fmt::format("{}: known mistake {} of {}", example->title.substr(0, example->title.find(':')), at + 1, count);
  callout.title = mistake.title;
  callout.text = mistake.text;
  callout.back = at > 0 ? "Back" : "";
  callout.next = at + 1 < count ? "Next" : "Done";
  callout.leave = at + 1 < count ? "Close" : "";
  callout.is_warning = true;
  switch (draw_callout(ui, window, callout)) {
    case CalloutAction::none:
    case CalloutAction::choose:
      return;
    case CalloutAction::back:
      return show_mistake(ui, *example, at - 1);
    case CalloutAction::next:
      return at + 1 < count ? show_mistake(ui, *example, at + 1) : close_example(ui);
    case CalloutAction::leave:
      return close_example(ui);
  }
}

}  // namespace headscope::ui
