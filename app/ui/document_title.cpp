#include "app/ui/document_title.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/session/moment_size.h"
#include "app/session/session.h"
#include "core/request/model_text.h"

namespace headscope::ui {

namespace {

std::string file_name(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  const std::size_t slash = path.rfind('/');
  return slash == std::string::npos ? path : path.substr(slash + 1);
}

// Where the weights come from: "demo:pronouns", "bert-base", "layer.safetensors", "seeded".
std::string model_name(const Request& request) {
  if (!request.weights.empty()) return file_name(request.weights);
  return with_adapter_names(file_name(base_of_model(request.model)), request.model);
}

// Null: none. A document may hold megabytes of text, so none is copied here.
const KeptDocument* kept_document(const Ui& ui) {
  const DocumentState* document = ui.state.panels.find<DocumentState>();
  if (document == nullptr) return nullptr;
  const std::string& title = ui.session.document.title;
  const auto found = std::find_if(document->kept.begin(), document->kept.end(),
                                  [&](const auto& entry) { return entry.first == title; });
  return found == document->kept.end() ? nullptr : &found->second;
}

// Takes the place of the one with this title; the oldest make room.
void keep(DocumentState& state, const std::string& title, KeptDocument document) {
  state.kept.remove_if([&](const auto& entry) { return entry.first == title; });
  state.kept.emplace_front(title, std::move(document));
  std::size_t count = 0, bytes = 0;
  state.kept.remove_if([&](const auto& entry) {
    bytes += bytes_of(entry.second.request) + bytes_of(entry.second.lesson);
    return ++count > 1 && (count > kMostKeptDocuments || bytes > kMostKeptBytes);
  });
}

bool differs_from_kept(const Ui& ui, const KeptDocument& kept) {
  return kept.lesson != ui.session.view.lesson || kept.request != ui.session.draft;
}

std::string title_of(const std::string& name, const std::string& model, const KeptDocument* kept, bool changed) {
  const char* mark = changed ? "*" : "";
  const bool is_model = kept != nullptr && name == model_name(kept->request);
  if (is_model || name == model) return model + mark;
  return fmt::format("{}{} \u00B7 {}", name, mark, model);
}

}  // namespace

void note_opened(UiState& state, const std::string& title, const KeptDocument& opened) {
  DocumentState& document = state.panels.get<DocumentState>();
  keep(document, title, opened);
  document.saving.reset();
}

void note_saving(UiState& state, const DocumentState::Saving& saving) {
  state.panels.get<DocumentState>().saving = saving;
}

void update_document(Ui& ui) {
  DocumentState& document = ui.state.panels.get<DocumentState>();
  // Undo may lead to a document of an earlier start.
  if (kept_document(ui) == nullptr) {
    keep(document, ui.session.document.title, {ui.session.draft, ui.session.view.lesson});
  }
  if (document.saving) {
    const Job job = ui.session.jobs.current();
    if (job.title != document.saving->job) {
      document.saving.reset();
    } else if (!job.running) {
      if (!job.failed) {
        ui.session.document.title = document.saving->file;
        keep(document, document.saving->file, std::move(document.saving->document));
      }
      document.saving.reset();
    }
  }
  const KeptDocument* kept = kept_document(ui);
  const std::string& name = ui.session.document.title;
  // Of a corpus that is looked at: what is computed beside it is of another model.
  const bool of_corpus =
      ui.session.view.main_view == MainView::corpus && name == file_name(ui.session.view.corpus.file);
  document.title = title_of(name, of_corpus ? name : model_name(ui.session.draft), kept,
                            kept != nullptr && differs_from_kept(ui, *kept));
}

bool has_unsaved_changes(const Ui& ui) {
  const KeptDocument* kept = kept_document(ui);
  return kept != nullptr && differs_from_kept(ui, *kept);
}

std::string document_title(const std::string& name, const KeptDocument& now, const std::optional<KeptDocument>& kept) {
  return title_of(name, model_name(now.request), kept ? &*kept : nullptr, kept && *kept != now);
}

}  // namespace headscope::ui
