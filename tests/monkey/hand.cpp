#include "tests/monkey/hand.h"

#include <algorithm>
#include <utility>

#include "app/session/folder_listing.h"
#include "app/ui/export_dialog_state.h"
#include "app/ui/handout_state.h"
#include "app/ui/worksheet_state.h"
#include "core/base/utf8.h"

namespace headscope::ui {

namespace {

// Something huge would take the run's time, and not show a mistake of the window. What is computed is at most this.
constexpr std::int64_t kMostFeatures = 64, kMostBatch = 3, kMostSeen = 1 << 20;
constexpr std::size_t kMostPhrase = 240, kMostInterventions = 24;

Document first_document_of_run() {
  Document document = demo_document();
  document.request.d_model = 32;
  document.request.heads = 4;
  return document;
}

SessionOptions small_session() {
  SessionOptions options;
  options.engine.stage_memory = std::int64_t{16} << 20;
  return options;
}

void cut(std::string& text) {
  if (text.size() <= kMostPhrase) return;
  std::size_t end = 0;
  for (std::size_t next = 0; next <= kMostPhrase; next = next_grapheme(text, next)) {
    end = next;
    if (next_grapheme(text, next) == next) break;
  }
  text.resize(end == 0 ? kMostPhrase : end);
}

template <typename List>
void keep_few(List& list) {
  if (list.size() > kMostInterventions) list.resize(kMostInterventions);
}

}  // namespace

Hand::Hand() : driver_(first_document_of_run(), 1280, 800, 1, small_session(), work_.make_executor()) {
  driver_.settings.export_folder = scratch_.exports();
  driver_.settings.open_folder = scratch_ / "files";
  rest();
}

void Hand::keep_small() {
  Request& draft = driver_.session.draft;
  for (std::optional<std::int64_t>* size : {&draft.d_model, &draft.input_dim}) {
    if (*size && **size > kMostFeatures && **size < kMostSeen) *size = kMostFeatures;
  }
  // The default is large; what no model can have is refused, and may stay.
  if (!draft.d_model && draft.model == "seeded" && draft.weights.empty()) draft.d_model = kMostFeatures;
  if (draft.batch && *draft.batch > kMostBatch && *draft.batch < kMostSeen) draft.batch = kMostBatch;
  cut(draft.phrase);
  if (draft.key_phrase) cut(*draft.key_phrase);
  if (draft.second_phrase) cut(*draft.second_phrase);
  draft.threads = 1;
  keep_few(draft.edits);
  keep_few(draft.paint);
  keep_few(draft.freeze);
  keep_few(draft.ablate);
  // An atlas of fonts for every tenth would take most of the time.
  double& scale = driver_.settings.ui_scale;
  scale = scale < 0.9 ? 0.5 : scale > 1.15 ? 1.2 : 1;
  driver_.settings.stage_memory_mib = 16;
}

void Hand::keep_inside() {
  UiState& state = driver_.state;
  for (std::string* folder : {&driver_.settings.export_folder, &driver_.settings.open_folder}) {
    if (!scratch_.holds(*folder)) *folder = scratch_.exports();
  }
  std::string& target = state.panels.get<ExportDialogState>().choice.folder;
  if (!target.empty() && !scratch_.holds(expanded_path(target))) target = scratch_.exports();
  for (std::string* folder : {&state.panels.get<WorksheetState>().folder, &state.panels.get<HandoutState>().folder}) {
    if (!folder->empty() && !scratch_.holds(expanded_path(*folder))) *folder = scratch_.exports();
  }
  BrowserState& browser = state.dialogs.browser;
  if (!browser.listing.path.empty() && !scratch_.holds(browser.listing.path)) {
    browser.listing = list_folder(scratch_ / "files", {});
    browser.selected = -1;
  }
}

void Hand::frame(InputEvents input) {
  driver_.frame(std::move(input));
  driver_.for_main.clear();  // what the desktop would do: end, save a picture of the screen
  driver_.textures.of_frame.clear();
  keep_small();
  keep_inside();
}

bool Hand::rest() {
  for (int i = 0; i < 2; ++i) frame();
  for (int i = 0; i < 40; ++i) {
    if (!driver_.state.wants_frame) return true;
    frame();
  }
  return work_.holds();
}

std::optional<ImVec2> Hand::point_in(const Event& event) const {
  const auto found = driver_.probe.rects.find(event.text);
  if (found == driver_.probe.rects.end()) return std::nullopt;
  const Rect& rect = found->second;
  return ImVec2{rect.min.x + rect.width() * static_cast<float>(event.n[0]) / 1000,
                rect.min.y + rect.height() * static_cast<float>(event.n[1]) / 1000};
}

void Hand::move(ImVec2 to) {
  InputEvents input;
  input.mouse.push_back({.kind = MouseEvent::Kind::move, .x = to.x, .y = to.y});
  frame(std::move(input));
}

void Hand::button(int button, bool down) {
  InputEvents input;
  input.mouse.push_back({.kind = MouseEvent::Kind::button, .button = button, .down = down});
  frame(std::move(input));
}

void Hand::click(ImVec2 at, int which, int times) {
  move(at);
  ImGui::GetIO().MouseClickedTime[which] = -10;  // no double click with the one before
  for (int i = 0; i < times; ++i) {
    button(which, true);
    button(which, false);
  }
}

void Hand::drag(ImVec2 from, ImVec2 to) {
  move(from);
  button(0, true);
  for (const float t : {0.3f, 0.7f, 1.0f}) move({from.x + (to.x - from.x) * t, from.y + (to.y - from.y) * t});
  button(0, false);
}

void Hand::wheel(float across, float away) {
  InputEvents input;
  input.mouse.push_back({.kind = MouseEvent::Kind::wheel, .x = across, .y = away});
  frame(std::move(input));
}

void Hand::key(const KeyEvent& event) {
  InputEvents input;
  input.keys.push_back(event);
  // A key that types a character comes with it.
  if (event.key == KeyName::space && !event.ctrl && !event.alt) input.characters.push_back(U' ');
  frame(std::move(input));
}

void Hand::type(const std::string& utf8, bool at_once) {
  InputEvents input;
  for (std::size_t at = 0; at < utf8.size();) {
    const CodePoint c = code_point_at(utf8, at);
    at += static_cast<std::size_t>(c.bytes);
    if (c.value == U' ') input.keys.push_back({KeyName::space, false, false, false, false});
    input.characters.push_back(c.value);
    if (!at_once) frame(std::exchange(input, {}));
  }
  if (at_once) frame(std::move(input));
}

void Hand::command(CommandId id, const std::string& argument) {
  driver_.push(id, argument);
  frame();
}

}  // namespace headscope::ui
