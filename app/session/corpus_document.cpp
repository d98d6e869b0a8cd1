#include "app/session/corpus_document.h"

#include <filesystem>
#include <system_error>

#include "core/base/error.h"

namespace headscope {

void show_corpus(ViewState& view, const std::string& path) {
  view.corpus.file = std::filesystem::absolute(path).lexically_normal().string();
  view.corpus.list.clear();
  view.corpus.head.reset();
  view.corpus.example = 0;
  view.main_view = MainView::corpus;
}

void refuse_headvis(const std::string& folder) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(std::filesystem::path(folder) / "scatter_data.json", error)) return;
  throw Error(
      folder +
      ": a folder that HeadVis shows, which the window does not open; open the .hsagg that it was made from, or "
      "see what is in it by headscope-cli report");
}

}  // namespace headscope
