#include "app/session/corpus_recipe.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "app/session/documents.h"
#include "app/session/lesson_stops.h"
#include "app/session/state_json.h"
#include "core/base/error.h"
#include "core/io/json_text.h"

namespace headscope {
namespace {

// In "window": what the picture is of. The window, which shows any view of a file, passes over it; pictures of a stage
// that were made while it showed a corpus have none.
constexpr const char* kPictureOf = "corpus_picture";

ViewState state_of(const CorpusView& view) {
  ViewState shown = demo_document().view;
  shown.main_view = MainView::corpus;
  shown.corpus = view;
  return shown;
}

}  // namespace

ViewSpec corpus_spec(const CorpusView& view, Theme theme, double scale) {
  ViewSpec spec = view_spec_of(state_of(view), theme);
  spec.scale = scale;
  return spec;
}

std::map<std::string, std::string> corpus_recipe(const CorpusPicture& picture, const ViewSpec& spec) {
  const std::string window = window_of_corpus_picture(state_of(picture.view), picture.fact);
  return {{"headscope", session_json(demo_document().request, spec, window)}};
}

std::map<std::string, std::string> corpus_recipe(const SessionFile& session, const CorpusPicture& picture,
                                                 const ViewSpec& spec) {
  ViewState shown = parse_view_state(session.window);
  shown.corpus = picture.view;
  const std::string window = window_of_corpus_picture(shown, picture.fact);
  auto again = nlohmann::ordered_json::parse(session_json(session.request, spec, window));
  std::map<std::string, std::string> chunks;
  if (!session.weights_sha256.empty()) {
    again["sha256"] = session.weights_sha256;
    chunks["headscope-sha256"] = session.weights_sha256;
  }
  chunks["headscope"] = json_dump(again, 2) + "\n";
  return chunks;
}

std::string window_of_corpus_picture(const ViewState& view, const std::string& fact) {
  const std::string window = window_of_picture(view);
  auto json = window.empty() ? nlohmann::ordered_json::object() : nlohmann::ordered_json::parse(window);
  json[kPictureOf] = fact;
  return json_dump(json);
}

std::optional<CorpusPicture> corpus_picture_of(const SessionFile& session, const std::string& path) {
  if (session.window.empty()) return std::nullopt;
  const auto json = nlohmann::ordered_json::parse(session.window);
  const auto fact = json.find(kPictureOf);
  if (fact == json.end() || !fact->is_string()) return std::nullopt;
  try {
    const CorpusView view = parse_view_state(session.window).corpus;
    if (view.file.empty()) return std::nullopt;
    return CorpusPicture{view, fact->get<std::string>()};
  } catch (const Error& error) {
    throw Error(path + ": in \"window\": " + error.what());
  }
}

std::string corpus_at_hand(const std::string& file, const std::string& picture) {
  std::error_code error;
  if (std::filesystem::exists(file, error)) return file;
  const std::filesystem::path beside =
      std::filesystem::path(picture).parent_path() / std::filesystem::path(file).filename();
  if (!std::filesystem::exists(beside, error)) return "";
  return std::filesystem::absolute(beside).lexically_normal().string();
}

}  // namespace headscope
