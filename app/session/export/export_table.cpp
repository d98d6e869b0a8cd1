// Answers about a model as tables: what each subject's CSV is made of, and the command that writes the same.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "app/session/export/export_job.h"
#include "app/session/export/export_parts.h"
#include "core/attention/model_trace.h"
#include "core/base/error.h"
#include "core/circuits/head_maps.h"
#include "core/explain/logit_tokens.h"
#include "core/export/answer_tables.h"
#include "core/request/model_text.h"
#include "core/request/request_text.h"

namespace headscope {
namespace {

constexpr std::int64_t kLine = 40;  // bytes, about

// What a table is asked for. `spec` is the picture's, which asks the same of the model.
struct AskedTable {
  const ExportChoice& choice;
  const ExportSource& source;
  const ViewState& view;
  const ViewSpec spec;
  const ModelTrace& model() const { return *source.trace.model; }
  TokenTexts tokens() const { return choice.csv_safe ? TokenTexts::safe : TokenTexts::plain; }
};

AskedTable asked_table(const ExportChoice& choice, const ExportSource& source, const ViewState& view) {
  ExportChoice picture = choice;
  picture.format = ExportFile::svg;
  const std::optional<ViewSpec> spec = figure_of(picture, source.trace, view);
  return {choice, source, view, spec ? fitted_view(*spec, source.trace) : ViewSpec()};
}

std::string no_whole_model(const ExportSource& source) {
  const ModelTrace* const model = source.trace.model.get();
  if (model != nullptr && model->checkpoint != nullptr && !model->final_hidden.empty()) return "";
  return "This needs a whole model, all layers of which were computed.";
}

std::string no_points(const ExportSource& source) {
  return has_query_key_scatter(source.trace) ? "" : "This request has no queries and keys.";
}

std::string no_sweep_known(const ExportSource& source) {
  return source.sweep != nullptr ? "" : "The sweep is not computed yet.";
}

std::string no_gradients_known(const ExportSource& source) {
  return source.gradients != nullptr ? "" : "The gradients are not computed yet.";
}

LogitQuestion logit_question(const AskedTable& asked) {
  LogitQuestion question;
  question.position = asked.spec.at.at(0);
  question.by = asked.spec.question.by.value_or(AttributionBy::components);
  question.ids = logit_token_ids(*asked.model().checkpoint, asked.spec.question.tokens);
  question.loss = asked.spec.question.loss;
  return question;
}

ScoreQuestion score_question(const AskedTable& asked) {
  const ViewSpec& spec = asked.spec;
  return {spec.head, spec.at.at(0), spec.at.at(1), spec.question.by.value_or(AttributionBy::heads)};
}

std::string attribution_table(const AskedTable& asked, const CancelToken& cancel) {
  const Attribution found = attribution(asked.model(), logit_question(asked), cancel);
  return attribution_csv(asked.source.trace, found, asked.tokens());
}

std::string lens_table(const AskedTable& asked, const CancelToken& cancel) {
  const LensQuestion question{asked.spec.question.lens_of, asked.spec.batch, 1};
  return lens_csv(asked.source.trace, logit_lens("view", asked.source.trace, question, cancel), asked.tokens());
}

std::string score_table(const AskedTable& asked, const CancelToken& cancel) {
  return score_csv(score_writers(asked.model(), score_question(asked), cancel));
}

// Norms are folded in, as the picture does.
std::string composition_table(const AskedTable& asked, const CancelToken& cancel) {
  const ModelTrace& model = asked.model();
  const auto maps = [&](std::int64_t layer) { return head_maps(*model.checkpoint, layer, NormFolding::fold); };
  return composition_csv(composition(model.checkpoint->architecture().num_layers, maps, *model.backend, cancel));
}

std::string scatter_table(const AskedTable& asked, const CancelToken& cancel) {
  const Trace& trace = asked.source.trace;
  return scatter_csv(trace, query_key_scatter(trace, asked.spec.batch, asked.spec.head, cancel), asked.tokens());
}

std::string sweep_table(const AskedTable& asked, const CancelToken&) {
  return sweep_csv(*asked.source.sweep);
}

std::string gradients_table(const AskedTable& asked, const CancelToken&) {
  return gradients_csv(*asked.source.gradients);
}

// About so many lines.
std::int64_t attribution_lines(const AskedTable& asked) {
  const std::int64_t layers = std::ssize(asked.model().layers), heads = asked.source.trace.num_heads();
  const AttributionBy by = asked.spec.question.by.value_or(AttributionBy::components);
  const std::int64_t attention = by == AttributionBy::components ? 1
                                 : by == AttributionBy::heads    ? heads
                                                                 : heads * asked.source.trace.key_len();
  return layers * (attention + 2);
}

std::int64_t lens_lines(const AskedTable& asked) {
  const bool heads = asked.spec.question.lens_of == LensOf::heads;
  const std::int64_t rows = heads ? asked.source.trace.num_heads() : std::ssize(asked.model().layers) + 1;
  return rows * asked.source.trace.query_len();
}

std::int64_t score_lines(const AskedTable& asked) {
  const bool heads = asked.spec.question.by != AttributionBy::components;
  const std::int64_t layer = asked.source.trace.inputs->layer;
  const std::int64_t writers = 1 + layer * (heads ? asked.source.trace.num_heads() + 2 : 2);
  return writers * writers;
}

std::int64_t composition_lines(const AskedTable& asked) {
  const Architecture& of = asked.model().checkpoint->architecture();
  return 3 * of.num_layers * (of.num_layers - 1) / 2 * of.num_heads * of.num_heads;
}

std::int64_t scatter_lines(const AskedTable& asked) {
  return asked.source.trace.query_len() + asked.source.trace.key_len();
}

std::int64_t sweep_lines(const AskedTable& asked) {
  return std::ssize(asked.source.sweep->cells);
}

std::int64_t gradients_lines(const AskedTable& asked) {
  return std::ssize(asked.source.gradients->heads);
}

// The command line that writes the same; "" where none does.
std::string attribute_line(const AskedTable& asked) {
  const ViewSpec& spec = asked.spec;
  if (asked.choice.csv_safe && spec.question.by == AttributionBy::sources) return "";  // it writes tokens as they are
  return shell_command_of(asked.source.trace.request, "headscope-cli attribute") +
         fmt::format(" --at {} --token {}{} --by {}", spec.at.at(0), spec.question.tokens,
                     spec.question.loss ? " --loss" : "",
                     attribution_by_name(spec.question.by.value_or(AttributionBy::components)));
}

std::string score_line(const AskedTable& asked) {
  const ScoreQuestion question = score_question(asked);
  return shell_command_of(asked.source.trace.request, "headscope-cli score") +
         fmt::format(" --head {} --at {},{} --by {}", question.head, question.query, question.key,
                     attribution_by_name(question.by));
}

std::string circuits_line(const AskedTable& asked) {
  const Request& request = asked.source.trace.request;
  const std::string adapters = adapter_option(request);
  return "headscope-cli circuits --model " + shell_quoted(base_of_model(request.model)) +
         (adapters.empty() ? "" : " --adapter " + shell_quoted(adapters));
}

std::string gradients_line(const AskedTable& asked) {
  const GradientsView& view = asked.view.gradients;
  const std::string metric = metric_text(view.measure, view.tokens).value_or("");
  if (metric.empty()) return "";
  return shell_command_of(asked.source.trace.request, "headscope-cli gradients") +
         fmt::format(" --metric {}{}", shell_quoted(metric), view.path ? fmt::format(" --steps {}", view.steps) : "");
}

// Without another run, whose request would need a file.
std::string sweep_line(const AskedTable& asked) {
  const ModelQuestion& question = asked.spec.question;
  if (!question.ablation || question.metric.empty()) return "";
  std::string end;
  const std::string& list = asked.view.sweep.list;
  if (*question.ablation == Ablation::mean && !list.empty()) end = " --mean-over " + shell_quoted(list);
  for (const auto& [option, place] : {std::pair{"from", question.from}, {"into", question.into}}) {
    if (place) end += fmt::format(" --{} {}:{}", option, place->layer, place->head);
  }
  return shell_command_of(asked.source.trace.request, "headscope-cli sweep") +
         fmt::format(" --ablation {} --patch {}{} --metric {}{}",
                     kAblationNames[static_cast<std::size_t>(*question.ablation)],
                     kSweepPatchNames[static_cast<std::size_t>(question.patch)], end, shell_quoted(question.metric),
                     asked.view.sweep.estimate == SweepEstimate::beside ? " --estimate" : "");
}

struct AnswerTable {
  ExportSubject subject;
  std::string (*obstacle)(const ExportSource& source);
  std::string (*text)(const AskedTable& asked, const CancelToken& cancel);
  std::int64_t (*lines)(const AskedTable& asked);
  std::string (*command)(const AskedTable& asked);  // null: no command writes it
};

constexpr AnswerTable kAnswerTables[] = {
    {ExportSubject::lens, no_whole_model, lens_table, lens_lines, nullptr},
    {ExportSubject::attribution, no_whole_model, attribution_table, attribution_lines, attribute_line},
    {ExportSubject::sweep, no_sweep_known, sweep_table, sweep_lines, sweep_line},
    {ExportSubject::gradients, no_gradients_known, gradients_table, gradients_lines, gradients_line},
    {ExportSubject::score, no_whole_model, score_table, score_lines, score_line},
    {ExportSubject::composition, no_whole_model, composition_table, composition_lines, circuits_line},
    {ExportSubject::scatter, no_points, scatter_table, scatter_lines, nullptr},
};

const AnswerTable* table_of(ExportSubject subject) {
  const auto found = std::find_if(std::begin(kAnswerTables), std::end(kAnswerTables),
                                  [&](const AnswerTable& row) { return row.subject == subject; });
  return found == std::end(kAnswerTables) ? nullptr : &*found;
}

}  // namespace

bool has_answer_table(ExportSubject subject) {
  return table_of(subject) != nullptr;
}

bool is_answer_table(const ExportChoice& choice) {
  return choice.format == ExportFile::csv && has_answer_table(choice.subject);
}

std::string answer_obstacle(const ExportChoice& choice, const ExportSource& source) {
  return table_of(choice.subject)->obstacle(source);
}

std::int64_t answer_bytes(const ExportChoice& choice, const ExportSource& source, const ViewState& view) {
  return kLine * table_of(choice.subject)->lines(asked_table(choice, source, view));
}

std::string answer_text(const ExportChoice& choice, const ExportSource& source, const ViewState& view,
                        const CancelToken& cancel) {
  const std::string obstacle = answer_obstacle(choice, source);
  if (!obstacle.empty()) throw UsageError(obstacle);
  return table_of(choice.subject)->text(asked_table(choice, source, view), cancel);
}

std::string answer_command(const ExportChoice& choice, const Trace& trace, const ViewState& view) {
  const AnswerTable& table = *table_of(choice.subject);
  if (table.command == nullptr) return "";
  const ExportSource source(trace);
  const std::string command = table.command(asked_table(choice, source, view));
  return command.empty() ? "" : command + " --out " + shell_quoted(choice.file);
}

}  // namespace headscope
