#include "app/cli/render_corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>

#include "app/cli/corpus_picture.h"
#include "app/cli/output.h"
#include "app/cli/progress_line.h"
#include "app/cli/view_arguments.h"
#include "app/session/background/corpora.h"
#include "app/session/corpus_heads.h"
#include "core/base/error.h"
#include "core/base/file_name.h"

namespace headscope::cli {
namespace {

constexpr std::array<std::string_view, 4> kOfCorpusPictures = {"session", "out", "theme", "colormap"};

void check_options(const Arguments& given) {
  const std::string& path = given.get("session");
  for (const auto& [option, value] : given.values) {
    if (std::find(kOfCorpusPictures.begin(), kOfCorpusPictures.end(), option) != kOfCorpusPictures.end()) continue;
    throw UsageError(option, fmt::format("found with {}, a picture of the heads of a corpus", path),
                     "--theme and --colormap alone; headscope-cli report draws other pictures of it");
  }
  if (has_ending(given.get("out"), ".html")) {
    throw UsageError("out",
                     fmt::format("found '{}', and {} is a picture of the heads of a corpus", given.get("out"), path),
                     "a name that ends in .png, .svg or .pdf");
  }
}

}  // namespace

void render_corpus(const Arguments& given, const SessionFile& session, CorpusPicture picture,
                   const CancelToken& cancel) {
  check_options(given);
  const std::string& path = given.get("session");
  const std::string file = corpus_at_hand(picture.view.file, path);
  if (file.empty()) {
    throw UsageError(
        "session",
        fmt::format("{} is a picture of the heads of the corpus {}, which is not there", path, picture.view.file),
        "the corpus at that place, or beside the picture under the same name");
  }
  ProgressLine progress;
  progress.show("reading " + file);
  const CorpusContents contents = corpus_contents({file}, cancel);
  picture.view.file = file;
  const CorpusFigure figure = corpus_figure(contents, picture.view);
  const std::string& out = given.get("out");
  progress.show("drawing " + out);
  const ViewSpec spec = given_view(given, session.view.value_or(ViewSpec()));
  const std::string size =
      write_corpus_figure(out, figure, spec, corpus_recipe(session, {picture.view, figure.fact}, spec), cancel);
  progress.erase();
  if (figure.fact != picture.fact) {
    print_notice(
        fmt::format("{} is not what it was when {} was drawn: then {}; now {}", file, path, picture.fact, figure.fact));
  }
  std::error_code error;
  const auto bytes = std::filesystem::file_size(out, error);
  print(fmt::format("{}  {}, {}\n", printable(out), size, size_text(error ? 0 : static_cast<double>(bytes))));
}

void refuse_corpus_picture(const char* option, const std::string& path, const SessionFile& session) {
  const std::optional<CorpusPicture> picture = corpus_picture_of(session, path);
  if (!picture) return;
  throw UsageError(
      option,
      fmt::format("{} is a picture of the heads of the corpus {}: no request is in it", path, picture->view.file),
      "a session, or a picture of what a request gives; headscope-cli render draws this one again");
}

}  // namespace headscope::cli
