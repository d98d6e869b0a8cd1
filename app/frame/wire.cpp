#include "app/frame/wire.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <csignal>
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

// Folders of windows that were killed: SOCKET.PID of processes that do not run.
void remove_left_folders(const std::string& socket) {
  namespace fs = std::filesystem;
  const fs::path path = fs::absolute(socket);
  const std::string begin = path.filename().string() + ".";
  std::error_code ignored;
  std::vector<fs::path> left;
  for (fs::directory_iterator each(path.parent_path(), ignored), end; each != end; each.increment(ignored)) {
    const std::string name = each->path().filename().string();
    if (!name.starts_with(begin)) continue;
    int process = 0;
    const char* const last = name.data() + name.size();
    const auto [stop, error] = std::from_chars(name.data() + begin.size(), last, process);
    if (error != std::errc() || stop != last || process <= 0) continue;
    if (::kill(process, 0) != 0 && errno == ESRCH) left.push_back(each->path());
  }
  for (const fs::path& folder : left) fs::remove_all(folder, ignored);
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
    : folder_(fmt::format("{}.{}", std::filesystem::absolute(socket).string(), ::getpid())), wake_(std::move(wake)) {
  if (!first.empty()) {
    shown_[1] = {first, title_of(first)};
    last_ = 1;
    has_first_ = true;
  }
  remove_left_folders(socket);
  server_ = listen_locally(socket, [this](const WireMessage& message) { return answer(message); });
}

Wire::~Wire() {
  {
    const std::lock_guard held(mutex_);
    stopping_ = true;
  }
  answered_.notify_all();
  server_ = nullptr;
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

WireMessage Wire::answer(const WireMessage& message) {
  try {
    return {answer_to(message), ""};
  } catch (const std::bad_alloc&) {
    return {refusal("there is not enough memory for it"), ""};
  } catch (const std::exception& error) {
    return {refusal(error.what()), ""};
  }
}

std::string Wire::answer_to(const WireMessage& message) {
  const JsonValue json = parse_strict_json(message.json, "the message");
  const std::string verb = text_of(json, "verb");
  if (verb == "hello") {
    return fmt::format(R"({{"ok": true, "headscope": "{}", "process": {}}})", kVersion, ::getpid());
  }
  if (verb == "show") return show(text_of(json, "kind"), message.bytes);
  if (verb == "update") return update(id_of(json), message.bytes);
  if (verb == "state") return ask(Question::Kind::state, id_of(json));
  if (verb == "close") return close(id_of(json));
  throw Error(fmt::format("the verb is {}; expected hello, show, update, state or close", in_quotes(verb)));
}

std::string Wire::show(const std::string& kind, const std::string& bytes) {
  if (kind != "capture" && kind != "session") {
    throw Error(fmt::format("the kind is {}; expected capture or session", in_quotes(kind)));
  }
  std::int64_t id = 0;
  {
    const std::lock_guard held(mutex_);
    id = ++last_;
  }
  make_folder(folder_);
  const std::string path = fmt::format("{}/shown-{}.{}", folder_, id, kind == "session" ? "json" : "safetensors");
  write_file_atomically(path, [&](std::ostream& out) { out << bytes; });
  {
    const std::lock_guard held(mutex_);
    shown_[id] = {path, title_of(path)};
  }
  return ask(Question::Kind::show, id);
}

std::string Wire::update(std::int64_t id, const std::string& bytes) {
  std::string path;
  {
    const std::lock_guard held(mutex_);
    const auto known = shown_.find(id);
    if (known == shown_.end()) throw Error(fmt::format("nothing with the number {} was handed over", id));
    if (current_ != id) throw Error("the window shows something else by now");
    path = known->second.path;
  }
  write_file_atomically(path, [&](std::ostream& out) { out << bytes; });
  return R"({"ok": true})";
}

std::string Wire::close(std::int64_t id) {
  const std::lock_guard held(mutex_);
  const auto known = shown_.find(id);
  if (known == shown_.end()) throw Error(fmt::format("nothing with the number {} was handed over", id));
  known->second.closed = true;
  bool all = true;
  for (const auto& [other, shown] : shown_) all = all && shown.closed;
  all = all && has_first_;
  if (all) {
    ended_ = true;
    wake_();
  }
  return fmt::format(R"({{"ok": true, "ends": {}}})", all);
}

std::string Wire::ask(Question::Kind kind, std::int64_t id) {
  Question question{kind, id};
  std::unique_lock held(mutex_);
  if (shown_.count(id) == 0) throw Error(fmt::format("nothing with the number {} was handed over", id));
  questions_.push_back(&question);
  wake_();
  answered_.wait(held, [&] { return question.done || stopping_; });
  if (!question.done) {
    std::erase(questions_, &question);
    throw Error("the window is being closed");
  }
  return question.answer;
}

void Wire::note_shown(const Session& session) {
  const std::lock_guard held(mutex_);
  std::int64_t current = 0;
  for (auto& [id, shown] : shown_) {
    if (reads_file(session.draft, shown.path) || shown.title == session.document.title) current = id;
  }
  current_ = current;
}

// What was closed stays as long as it is on screen.
void Wire::forget_closed() {
  const std::lock_guard held(mutex_);
  for (auto each = shown_.begin(); each != shown_.end();) {
    if (!each->second.closed || each->first == current_ || (has_first_ && each->first == 1)) {
      ++each;
      continue;
    }
    followed_.erase(each->first);
    std::error_code ignored;
    std::filesystem::remove(each->second.path, ignored);
    each = shown_.erase(each);
  }
}

std::string Wire::open(std::int64_t id, Session& session, Settings& settings, ui::UiState& state) {
  std::string path;
  {
    const std::lock_guard held(mutex_);
    path = shown_[id].path;
    const auto before = shown_.find(current_);
    if (before != shown_.end()) before->second.left = session_state(session);
  }
  const bool opened = open_given(session, settings, state, path, session.view);
  std::string why = "it cannot be opened";
  std::erase_if(state.notices, [&](const ui::Notice& notice) {  // the program that handed it over is told
    if (notice.key == "open") why = notice.fact;
    return notice.key == "open";
  });
  if (!opened) return refusal(why);
  followed_[id] = std::make_unique<WatchedFile>(path, session, wake_);
  const std::lock_guard held(mutex_);
  shown_[id].left = session_state(session);
  return fmt::format(R"({{"ok": true, "id": {}}})", id);
}

std::string Wire::state_of(std::int64_t id, const Session& session) {
  const bool on_screen = current_ == id;
  const std::lock_guard held(mutex_);
  std::string& left = shown_[id].left;
  if (on_screen || left.empty()) left = session_state(session);
  return fmt::format(R"({{"ok": true, "shown": {}, {}}})", on_screen, left);
}

bool Wire::serve(Session& session, Settings& settings, ui::UiState& state) {
  bool did = false;
  for (const auto& [id, file] : followed_) did = file->follow(session, settings, state) || did;
  note_shown(session);
  forget_closed();
  while (true) {
    Question* question = nullptr;
    {
      const std::lock_guard held(mutex_);
      if (questions_.empty()) break;
      question = questions_.front();
      questions_.pop_front();
    }
    std::string text;
    try {
      text = question->kind == Question::Kind::show ? open(question->id, session, settings, state)
                                                    : state_of(question->id, session);
    } catch (const std::exception& error) {
      text = refusal(error.what());
    }
    did = did || question->kind == Question::Kind::show;
    note_shown(session);
    {
      const std::lock_guard held(mutex_);
      question->answer = std::move(text);
      question->done = true;
    }
    answered_.notify_all();
  }
  return did;
}

}  // namespace headscope
