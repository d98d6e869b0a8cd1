#include "app/frame/wire.h"

#include <fmt/format.h>
#include <unistd.h>

#include <charconv>
#include <exception>
#include <filesystem>
#include <new>
#include <nlohmann/json.hpp>
#include <ostream>
#include <system_error>
#include <utility>
#include <vector>

#include "app/frame/start.h"
#include "app/session/state_json.h"
#include "core/base/error.h"
#include "core/base/message_text.h"
#include "core/base/version.h"
#include "core/export/session_file.h"
#include "core/io/atomic_file.h"
#include "core/io/json_text.h"

namespace headscope {
namespace {

std::string refusal(const std::string& why) {
  nlohmann::ordered_json json;
  json["ok"] = false;
  json["error"] = why;
  return json_dump(json);
}

std::string text_of(const JsonValue& json, const char* key) {
  const JsonValue* const value = json.find(key);
  if (value == nullptr || value->kind != JsonValue::Kind::string) {
    throw Error(fmt::format("the message has no \"{}\"; expected a string", key));
  }
  return value->text;
}

std::int64_t id_of(const JsonValue& json) {
  const JsonValue* const value = json.find("id");
  std::int64_t id = 0;
  if (value != nullptr && value->kind == JsonValue::Kind::number) {
    const char* const end = value->text.data() + value->text.size();
    const auto [stop, error] = std::from_chars(value->text.data(), end, id);
    if (error == std::errc() && stop == end && id > 0) return id;
  }
  throw Error("the message has no \"id\"; expected the number that show was answered with");
}

// Of a document that is opened from there.
std::string title_of(const std::string& path) {
  return std::filesystem::path(path).filename().string();
}

std::string session_state(const Session& session) {
  return fmt::format(R"("request": {}, "view": {})", request_json(session.draft), view_state_json(session.view));
}

}  // namespace

Wire::Wire(const std::string& socket, const std::string& first, std::function<void()> wake)
    : files_(socket), wake_(std::move(wake)), has_first_(!first.empty()) {
  if (has_first_) shown_[last_ = 1] = {first, title_of(first)};
  server_ = listen_locally(socket, wake_);
  remove_left_folders(socket);
}

Wire::~Wire() {
  server_ = nullptr;
}

bool Wire::serve(Session& session, Settings& settings, ui::UiState& state) {
  bool did = false;
  for (const auto& [id, shown] : shown_) {
    did = (shown.file != nullptr && shown.file->follow(session, settings, state)) || did;
  }
  note_shown(session);
  const auto answer_it = [&](const WireMessage& message) { return answer(message, session, settings, state); };
  // A program that sends one after the other must not keep the window from drawing.
  constexpr int kMessagesATurn = 4;
  for (int count = 0; count < kMessagesATurn && server_->answer_one(answer_it); ++count) did = true;
  return did;
}

WireMessage Wire::answer(const WireMessage& message, Session& session, Settings& settings, ui::UiState& state) {
  const auto text = [&]() -> std::string {
    const JsonValue json = parse_strict_json(message.json, "the message");
    const std::string verb = text_of(json, "verb");
    if (verb == "hello") {
      return fmt::format(R"({{"ok": true, "headscope": "{}", "process": {}}})", kVersion, ::getpid());
    }
    if (verb == "show") return show(text_of(json, "kind"), message.bytes, session, settings, state);
    if (verb == "update") return update(id_of(json), message.bytes);
    if (verb == "state") return state_of(id_of(json), session);
    if (verb == "close") return close(id_of(json));
    throw Error(fmt::format("the verb is {}; expected hello, show, update, state or close", in_quotes(verb)));
  };
  note_shown(session);
  std::string found;
  try {
    found = text();
  } catch (const std::bad_alloc&) {
    found = refusal("there is not enough memory for it");
  } catch (const std::exception& error) {
    found = refusal(error.what());
  }
  note_shown(session);
  forget_closed();
  return {found, ""};
}

Wire::Shown& Wire::known(std::int64_t id) {
  const auto found = shown_.find(id);
  if (found == shown_.end()) throw Error(fmt::format("nothing with the number {} was handed over", id));
  return found->second;
}

std::string Wire::show(const std::string& kind, const std::string& bytes, Session& session, Settings& settings,
                       ui::UiState& state) {
  if (kind != "capture" && kind != "session") {
    throw Error(fmt::format("the kind is {}; expected capture or session", in_quotes(kind)));
  }
  const std::int64_t id = ++last_;
  const std::string path = files_.path_of(id, kind == "session" ? "json" : "safetensors");
  write_file_atomically(
      path, [&](std::ostream& out) { out << bytes; }, Replaces::own_files);
  const std::string before = session_state(session);
  const bool opened = open_given(session, settings, state, path, session.view);
  std::string why = "it cannot be opened";
  std::erase_if(state.notices, [&](const ui::Notice& notice) {  // the program that handed it over is told
    if (notice.key == "open") why = notice.fact;
    return notice.key == "open";
  });
  if (!opened) {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
    return refusal(why);
  }
  if (const auto left = shown_.find(current_); left != shown_.end()) left->second.left = before;
  shown_[id] = {path, title_of(path), session_state(session), false, std::make_unique<WatchedFile>(path, session)};
  return fmt::format(R"({{"ok": true, "id": {}}})", id);
}

std::string Wire::update(std::int64_t id, const std::string& bytes) {
  Shown& shown = known(id);
  if (shown.file == nullptr) {
    throw Error(
        fmt::format("the number {} is what the window was opened on, a file of its user; expected what was "
                    "handed over",
                    id));
  }
  if (current_ != id) throw Error("the window shows something else by now");
  write_file_atomically(
      shown.path, [&](std::ostream& out) { out << bytes; }, Replaces::own_files);
  shown.file->note_change();
  wake_();
  return R"({"ok": true})";
}

std::string Wire::state_of(std::int64_t id, const Session& session) {
  Shown& shown = known(id);
  if (current_ == id || shown.left.empty()) shown.left = session_state(session);
  return fmt::format(R"({{"ok": true, "shown": {}, {}}})", current_ == id, shown.left);
}

std::string Wire::close(std::int64_t id) {
  known(id).closed = true;
  bool all = has_first_;
  for (const auto& [other, shown] : shown_) all = all && shown.closed;
  ended_ = all;
  return fmt::format(R"({{"ok": true, "ends": {}}})", all);
}

void Wire::note_shown(const Session& session) {
  current_ = 0;
  for (const auto& [id, shown] : shown_) {
    if (reads_file(session.draft, shown.path) || shown.title == session.document.title) current_ = id;
  }
}

// What was closed stays as long as it is on screen.
void Wire::forget_closed() {
  std::erase_if(shown_, [&](const auto& each) {
    const auto& [id, shown] = each;
    if (!shown.closed || id == current_ || shown.file == nullptr) return false;
    std::error_code ignored;
    std::filesystem::remove(shown.path, ignored);
    return true;
  });
}

}  // namespace headscope
