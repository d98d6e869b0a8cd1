#include "app/session/corpus_document.h"

#include <filesystem>
#include <system_error>

namespace headscope {

void show_corpus(ViewState& view, const std::string& path) {
  std::filesystem::path file = std::filesystem::absolute(path).lexically_normal();
  if (!file.has_filename() && file.has_parent_path()) file = file.parent_path();  // "FOLDER/"
  view.corpus.file = file.string();
  view.corpus.list.clear();
  view.corpus.head.reset();
  view.corpus.example = 0;
  view.corpus.chosen.clear();
  view.corpus.find.clear();
  view.corpus.side = CorpusSide::head;
  view.main_view = MainView::corpus;
}

bool is_headvis_folder(const std::string& folder) {
  std::error_code error;
  return std::filesystem::is_regular_file(std::filesystem::path(folder) / "scatter_data.json", error);
}

}  // namespace headscope
