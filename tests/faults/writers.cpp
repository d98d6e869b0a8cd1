#include "tests/faults/writers.h"

#include <fmt/format.h>

#include <exception>
#include <memory>
#include <ostream>

#include "app/session/export/export_job.h"
#include "app/session/last_session.h"
#include "app/session/lesson_handout.h"
#include "app/session/lesson_stops.h"
#include "app/session/settings.h"
#include "core/attention/engine.h"
#include "core/base/error.h"
#include "core/base/image.h"
#include "core/corpus/corpus_difference.h"
#include "core/corpus/corpus_file.h"
#include "core/corpus/corpus_report.h"
#include "core/corpus/difference_report.h"
#include "core/export/export_stages.h"
#include "core/headvis/headvis_of_corpus.h"
#include "core/headvis/headvis_write.h"
#include "core/io/atomic_file.h"
#include "core/io/csv.h"
#include "core/io/json_tensor.h"
#include "core/io/npy.h"
#include "core/io/png.h"
#include "core/io/safetensors.h"
#include "core/model/mask_file.h"
#include "core/script/script.h"
#include "tests/app/session/temporary_folder.h"
#include "tests/core/corpus/made_records.h"

namespace headscope::test {

namespace {

// Numbers that tell the words.
Tensor tensor_of(const std::string& words) {
  std::vector<float> values;
  for (int k = 0; k < 4096; ++k)
    values.push_back(static_cast<float>(words[static_cast<std::size_t>(k) % words.size()]));
  return Tensor::of({64, 64}, {Axis::query, Axis::key}, values);
}

std::vector<std::string> names(const char* letter) {
  std::vector<std::string> all;
  for (int k = 0; k < 64; ++k) all.push_back(fmt::format("{}{}", letter, k));
  return all;
}

std::shared_ptr<const Trace> trace_of(const std::string& words) {
  Request request;
  request.phrase = words;
  request.d_model = 8;
  request.heads = 2;
  Engine engine;
  return engine.run(request, {});
}

// A file whose bytes one function of core/io writes.
template <typename Write>
void write_one(const std::string& folder, const char* name, const Write& write) {
  write_file_atomically(folder + "/" + name, [&](std::ostream& out) { write(out); });
}

void write_tables(const std::string& folder, const std::string& words) {
  const Tensor tensor = tensor_of(words);
  write_one(folder, "table.csv",
            [&](std::ostream& out) { write_csv_matrix(out, tensor, "q", names("r"), names("c")); });
}

void write_arrays(const std::string& folder, const std::string& words) {
  const Tensor tensor = tensor_of(words);
  FilesTogether files;
  files.add(folder + "/x.npy", [&](std::ostream& out) { write_npy(out, tensor); });
  files.add(folder + "/x.safetensors", [&](std::ostream& out) { write_safetensors(out, {{"x", &tensor}}, {}); });
  files.add(folder + "/x.json", [&](std::ostream& out) { write_json_tensor(out, "weights", tensor); });
  files.commit();
}

// More than are synced one by one.
void write_many(const std::string& folder, const std::string& words) {
  FilesTogether files;
  for (int k = 0; k < 10; ++k) {
    files.add(fmt::format("{}/{}", folder, k), [&](std::ostream& out) { out << words << k; });
  }
  files.commit();
}

void write_picture(const std::string& folder, const std::string& words) {
  const Image image(40, 30, {static_cast<std::uint8_t>(words.size()), 2, 3, 255});
  write_one(folder, "x.png", [&](std::ostream& out) { write_png(out, image, {{"headscope", words}}); });
}

void write_mask(const std::string& folder, const std::string& words) {
  const auto count = static_cast<std::int64_t>(words.size());
  Request request;
  request.mask = {{MaskTerm::Kind::causal, 0, ""}};
  const Mask mask = build_mask(request, {}, {.batch = 1, .heads = 1, .query_len = count, .key_len = count});
  write_mask_file(folder + "/mask.csv", MaskConvention::hide, mask.hidden, 0, 0, false);
}

void write_settings(const std::string& folder, const std::string& words) {
  const Environment home("XDG_CONFIG_HOME", folder.c_str());
  Settings settings;
  settings.export_folder = words;
  const std::string failure = save_settings(settings);
  if (!failure.empty()) throw Error(failure);
}

void write_last_session(const std::string& folder, const std::string& words) {
  const Environment home("XDG_STATE_HOME", folder.c_str());
  LastSession last;
  last.request.phrase = words;
  last.document.title = words;
  const std::string failure = save_last_session(last);
  if (!failure.empty()) throw Error(failure);
}

template <ExportSubject subject, ExportFile format>
void write_choice(const std::string& folder, const std::string& words) {
  ExportChoice choice;
  choice.subject = subject;
  choice.format = format;
  choice.scale = 1;
  choice.folder = folder;
  choice.file = std::string("x.") + ending_of(format);
  if (subject == ExportSubject::stage && format != ExportFile::safetensors) choice.file = "stage";
  const auto trace = trace_of(words);
  write_export(choice, {*trace}, ViewState(), {}, [](double) {});
}

// A lesson of one stop, on paper or as a page.
template <bool page>
void write_lesson(const std::string& folder, const std::string& words) {
  ViewState view;
  view.lesson = {stop_of(ViewState(), words)};
  const auto trace = trace_of(words);
  write_handout({folder + (page ? "/x.html" : "/x.pdf"), page, {}}, *trace, handout_of(view, words), view);
}

// Stages of a model beside those of a layer, as `run --export stream,output` writes them.
void write_model_stages(const std::string& folder, const std::string& words) {
  const auto trace = trace_of(words);
  const Shape shape{2, 1, trace->query_len(), 4};
  std::vector<float> values;
  for (std::int64_t k = 0; k < element_count(shape); ++k)
    values.push_back(static_cast<float>(words.size() + static_cast<std::size_t>(k)));
  ExportPlan plan;
  plan.folder = folder;
  plan.stages = {StageId::output};
  plan.model_stages = {
      {ModelStageId::stream,
       Tensor::of(shape, {Axis::feature, Axis::batch, Axis::position, Axis::feature}, std::move(values)),
       "embeddings"}};
  export_stages(*trace, plan);
}

// Of a model called by the words, and of as many phrases as they have letters.
CorpusRecord corpus_of(const std::string& words) {
  const auto count = static_cast<std::int64_t>(words.size());
  CorpusRecord record = made_record(1, count, {0, count});
  record.facts.model = words;
  return record;
}

void write_corpus(const std::string& folder, const std::string& words) {
  write_corpus_file(folder + "/x.hsagg", corpus_of(words));
}

void write_corpus_csv(const std::string& folder, const std::string& words) {
  write_corpus_tables(folder, corpus_of(words));
}

// Of the corpus beside itself without what its first head has counted.
void write_corpus_difference(const std::string& folder, const std::string& words) {
  const CorpusRecord a = corpus_of(words);
  CorpusRecord b = a;
  b.heads.front().clear();
  write_difference_table(folder, corpus_difference(a, b));
}

void write_headvis(const std::string& folder, const std::string& words) {
  const CorpusRecord record = corpus_of(words);
  write_headvis_tree(folder, headvis_tree_of(record, false),
                     [&](std::size_t head) { return headvis_head_of(record, head, {}); });
}

}  // namespace

std::vector<Writer> function_writers() {
  using S = ExportSubject;
  using F = ExportFile;
  constexpr const char* kJob = "write_export app/session/export/export_job.cpp";
  return {
      {"table", "write_csv_matrix write_file_atomically", write_tables},
      {"arrays", "write_npy write_safetensors write_json_tensor core/io/files_together.cpp core/io/atomic_file.cpp",
       write_arrays},
      {"many_files", "core/io/file_journal.cpp", write_many},
      {"picture", "write_png", write_picture},
      {"mask", "write_mask_file core/model/mask_file.cpp write_boolean_npy", write_mask},
      {"corpus", "write_corpus_file core/corpus/corpus_file_write.cpp", write_corpus},
      {"corpus_tables", "write_corpus_tables core/corpus/corpus_report.cpp", write_corpus_csv},
      {"corpus_difference", "write_difference_table core/corpus/difference_report.cpp", write_corpus_difference},
      {"headvis_tree", "write_headvis_tree core/headvis/headvis_write.cpp", write_headvis},
      {"model_stages", "export_stages", write_model_stages},
      {"settings", "save_settings save_kept_files app/session/settings.cpp app/session/kept_file.cpp", write_settings},
      {"last_session", "save_last_session app/session/last_session.cpp", write_last_session},
      {"handout_pdf", "write_handout write_handout_pdf app/session/lesson_handout.cpp", write_lesson<false>},
      {"handout_html", "write_handout write_page_data write_page_head write_page_controls write_page_maps",
       write_lesson<true>},
      {"job_png", kJob, write_choice<S::heads, F::png>},
      {"job_svg", kJob, write_choice<S::heads, F::svg>},
      {"job_pdf", kJob, write_choice<S::head, F::pdf>},
      {"job_html", kJob, write_choice<S::heads, F::html>},
      {"job_csv", kJob, write_choice<S::head, F::csv>},
      {"job_stage", kJob, write_choice<S::stage, F::npy>},
      {"job_session", kJob, write_choice<S::session, F::json>},
  };
}

std::vector<Writer> command_writers() {
  constexpr const char* kRun = "export_stages core/export/export_stages.cpp app/cli/run_command.cpp write_csv_long";
  constexpr const char* kRender = "write_svg write_pdf app/cli/render_command.cpp";
  constexpr const char* kScript = "write_script core/script/script.cpp";
  const auto command = [](std::vector<std::string> words, const std::vector<std::string>& rest) {
    words.insert(words.end(),
                 {"--phrase", "WORDS", "--d-model", "8", "--heads", "2", "--mask", "causal", "--threads", "1"});
    words.insert(words.end(), rest.begin(), rest.end());
    return words;
  };
  const auto exports = [&](const char* format) {
    return command({"run"}, {"--export", "all", "--format", format, "--out", "OUT"});
  };
  const auto renders = [&](const char* file) { return command({"render"}, {"--view", "heads", "--out", file}); };
  return {
      {"run_csv", kRun, nullptr, exports("csv")},
      {"run_long", kRun, nullptr, command({"run"}, {"--export", "weights", "--csv", "long", "--out", "OUT"})},
      {"run_npy", kRun, nullptr, exports("npy")},
      {"run_safetensors", kRun, nullptr, exports("safetensors")},
      {"run_json", kRun, nullptr, exports("json")},
      {"render_png", kRender, nullptr, renders("OUT/x.png")},
      {"render_svg", kRender, nullptr, renders("OUT/x.svg")},
      {"render_pdf", kRender, nullptr, renders("OUT/x.pdf")},
      {"render_html", kRender, nullptr, renders("OUT/x.html")},
      {"explain", kRender, nullptr,
       command({"explain", "--stage", "weights", "--at", "0,0,1,0"}, {"--out", "OUT/x.svg"})},
      {"compare", "app/cli/compare_files.cpp", nullptr,
       command({"compare", "--against", "SESSION", "--stage", "weights,output"}, {"--out", "OUT"})},
      {"sweep",
       "app/cli/csv_path.cpp write_csv",
       nullptr,
       {"sweep", "--model", "demo:pronouns", "--phrase", "WORDS", "--against", "MODEL", "--patch", "positions",
        "--metric", "kl", "--threads", "1", "--out", "OUT/cells.csv"}},
      {"gradients",
       "app/cli/gradients_command.cpp",
       nullptr,
       {"gradients", "--model", "demo:pronouns", "--phrase", "WORDS", "--metric", "loss", "--threads", "1", "--out",
        "OUT/weights.safetensors"}},
      {"circuits",
       "app/cli/circuits_command.cpp",
       nullptr,
       {"circuits", "--model", "demo:pronouns", "--threads", "1", "--out", "OUT/pairs.csv"}},
      {"report_svg",
       "app/cli/corpus_picture.cpp",
       nullptr,
       {"report", HEADSCOPE_SOURCE_DIR "/assets/corpus/pronouns.hsagg", "--format", "svg", "--out", "OUT"}},
      {"worksheet",
       "core/worksheet/worksheet_file.cpp write_worksheet_csv write_worksheet_pdf write_pdf_pages",
       nullptr,
       {"worksheet", "--seed", "3", "--out", "OUT/sheet.pdf", "--solutions", "OUT/sheet.csv"}},
      {"script", kScript, nullptr, command({"script", "--as", "numpy"}, {"--out", "OUT"})},
  };
}

const std::vector<Writer>& writers() {
  static const std::vector<Writer> all = [] {
    std::vector<Writer> rows = function_writers();
    for (const Writer& row : command_writers()) rows.push_back(row);
    return rows;
  }();
  return all;
}

}  // namespace headscope::test
