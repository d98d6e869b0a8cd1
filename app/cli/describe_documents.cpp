#include <fmt/format.h>

#include <optional>
#include <string_view>

#include "app/cli/describe.h"
#include "app/cli/output.h"
#include "app/session/corpus_recipe.h"
#include "core/export/session_file.h"
#include "core/io/document_recipe.h"
#include "core/io/mapped_file.h"
#include "core/io/png.h"
#include "core/picture/view_options.h"
#include "core/request/request_text.h"

namespace headscope::cli {

using Json = nlohmann::ordered_json;

void add_request(const SessionFile& session, Description& description) {
  description.json["request"] = Json::parse(request_json(session.request));
  if (session.view) description.json["view"] = Json::parse(view_json(*session.view));
  const std::string command = shell_command_of(session.request, "headscope-cli run");
  description.json["command"] = command;
  description.text += printable(command) + "\n";
  if (session.view) {
    description.text +=
        fmt::format("view: {}, stage {}\n", view_kind_name(session.view->view), stage_name(session.view->stage));
  }
}

Description describe_session(const std::string& path) {
  Description description;
  description.json = {{"path", path}, {"kind", "session"}};
  description.text = printable(path) + ": a session\n";
  add_request(read_session(path), description);
  return description;
}

namespace {

// A picture of the heads of a corpus: the request in its recipe made none of it.
void add_corpus_picture(const CorpusPicture& picture, const std::string& path, Description& description) {
  const CorpusView& view = picture.view;
  description.json["corpus"] = {{"file", view.file}, {"fact", picture.fact}, {"x", view.x},
                                {"y", view.y},       {"color", view.color},  {"grid", view.grid}};
  if (view.head) description.json["corpus"]["head"] = {view.head->row, view.head->column};
  const std::string command = "headscope-cli render --session " + shell_quoted(path) + " --out again.png";
  description.json["command"] = command;
  description.text += fmt::format("the heads of a corpus: {}\n{}\n", printable(picture.fact), printable(view.file));
  description.text += fmt::format("x: {}, y: {}, colour: {}, grid: {}", printable(view.x), printable(view.y),
                                  printable(view.color), printable(view.grid));
  if (view.head) description.text += fmt::format(", head {}.{}", view.head->row, view.head->column);
  description.text += "\n" + printable(command) + "\n";
}

Description described_recipe(Description description, const std::string& path,
                             const std::optional<std::string>& recipe) {
  description.json["recipe"] = recipe.has_value();
  if (!recipe) {
    description.text += "no recipe: Headscope did not export it, or another program has saved it since\n";
    return description;
  }
  const SessionFile session = parse_session(*recipe, "the recipe in " + path);
  if (const auto corpus = corpus_picture_of(session, path)) {
    add_corpus_picture(*corpus, path, description);
    return description;
  }
  add_request(session, description);
  if (!session.weights_sha256.empty()) {
    description.json["weights_sha256"] = session.weights_sha256;
    description.text += "sha256 of the weights: " + printable(session.weights_sha256) + "\n";
  }
  return description;
}

}  // namespace

Description describe_picture(const std::string& path) {
  const PngInfo info = read_png_info(path);
  Description description;
  description.json = {{"path", path}, {"kind", "picture"}, {"width", info.width}, {"height", info.height}};
  description.text = fmt::format("{}: PNG picture, {} x {} pixels\n", printable(path), info.width, info.height);
  const auto recipe = info.texts.find("headscope");
  return described_recipe(description, path, recipe == info.texts.end() ? std::nullopt : std::optional(recipe->second));
}

Description describe_drawing(const std::string& path) {
  const auto file = MappedFile::open(path);
  const std::string_view text(reinterpret_cast<const char*>(file->bytes().data()), file->bytes().size());
  Description description;
  description.json = {{"path", path}, {"kind", "drawing"}, {"bytes", text.size()}};
  const DocumentFormat* format = document_format_of(text);
  if (format == nullptr) throw Error(path + ": neither a drawing nor a page of Headscope");
  description.text =
      fmt::format("{}: {}, {}\n", printable(path), format->name, size_text(static_cast<double>(text.size())));
  const std::optional<std::string> recipe = format->recipe(text, path);
  file->check_unchanged();
  return described_recipe(description, path, recipe);
}

}  // namespace headscope::cli
