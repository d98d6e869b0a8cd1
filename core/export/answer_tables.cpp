#include "core/export/answer_tables.h"

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "core/io/csv.h"

namespace headscope {
namespace {

std::string count_text(const std::optional<std::int64_t>& count) {
  return count ? std::to_string(*count) : "";
}

std::string writer_fields(const ScoreWriter& writer) {
  return fmt::format("{},{},{}", writer.name, count_text(writer.layer), count_text(writer.head));
}

std::string token_field(const std::string& token, TokenTexts tokens) {
  return csv_field(tokens == TokenTexts::safe ? safe_text(token) : token);
}

}  // namespace

std::string attribution_csv(const Trace& trace, const Attribution& found, TokenTexts tokens) {
  const ReadTokens labels = read_tokens(trace);
  std::string text = "part,layer,head,position,token,value\n";
  for (const AttributionPart& part : found.parts) {
    const std::string token = part.key ? token_field(labels.of(part), tokens) : "";
    text += fmt::format("{},{},{},{},{},{}\n", part.name, count_text(part.layer), count_text(part.head),
                        count_text(part.key), token, csv_number(part.value));
  }
  return text + fmt::format("sum,,,,,{}\ntotal,,,,,{}\n", csv_number(found.sum), csv_number(found.total));
}

std::string lens_csv(const Trace& trace, const LogitLens& lens, TokenTexts tokens) {
  const std::vector<std::string> labels = trace.query_labels();
  std::string text = "layer,head,position,token,id,predicted,logit,probability\n";
  for (const LensRow& row : lens.rows) {
    for (std::size_t i = 0; i < row.positions.size(); ++i) {
      const TokenProbability& first = row.positions[i].top.front();
      text += fmt::format("{},{},{},{},{},{},{},{}\n", row.layer, count_text(row.head), i,
                          token_field(labels[i], tokens), first.id, token_field(first.piece, tokens),
                          csv_number(first.logit), csv_number(first.probability));
    }
  }
  return text;
}

std::string scatter_csv(const Trace& trace, const QueryKeyScatter& scatter, TokenTexts tokens) {
  std::string text = "kind,position,token,x,y\n";
  const auto add = [&](const char* kind, const std::vector<ScatterPoint>& points,
                       const std::vector<std::string>& labels) {
    for (std::size_t i = 0; i < points.size(); ++i) {
      const std::string token = i < labels.size() ? token_field(labels[i], tokens) : "";
      text += fmt::format("{},{},{},{},{}\n", kind, i, token, csv_number(points[i].x), csv_number(points[i].y));
    }
  };
  add("query", scatter.queries, trace.query_labels());
  add("key", scatter.keys, trace.key_labels());
  return text;
}

std::string sweep_csv(const Sweep& sweep) {
  const bool estimates = !sweep.cells.empty() && sweep.cells.front().estimate.has_value();
  const bool paths = !sweep.cells.empty() && sweep.cells.front().from.has_value();
  const bool neurons = !sweep.cells.empty() && sweep.cells.front().neuron.has_value();
  std::string text = fmt::format("layer,head,position,stage,value{}{}{}\n", estimates ? ",estimate" : "",
                                 paths ? ",from_layer,from_head" : "", neurons ? ",neuron" : "");
  for (const SweepCell& cell : sweep.cells) {
    text += fmt::format("{},{},{},{},{}", cell.layer, count_text(cell.head), count_text(cell.position), cell.stage,
                        csv_number(cell.value));
    if (estimates) text += fmt::format(",{}", csv_number(cell.estimate.value()));
    if (paths) text += fmt::format(",{},{}", cell.from->layer, cell.from->head);
    if (neurons) text += fmt::format(",{}", *cell.neuron);
    text += "\n";
  }
  return text;
}

std::string pair_sweep_csv(const PairSweep& found) {
  const bool paths = !found.cells.empty() && found.cells.front().cell.from.has_value();
  const bool neurons = !found.cells.empty() && found.cells.front().cell.neuron.has_value();
  const auto statistics = [](const PairStatistics& of) {
    return fmt::format(",{},{},{}", csv_number(of.mean), of.standard_error ? csv_number(*of.standard_error) : "",
                       csv_number(of.same_sign));
  };
  std::string text = fmt::format(
      "layer,head,position,stage,mean,standard_error,same_sign,change_mean,change_standard_error,change_same_sign{}{}"
      "\n",
      paths ? ",from_layer,from_head" : "", neurons ? ",neuron" : "");
  for (const PairCell& each : found.cells) {
    const SweepCell& cell = each.cell;
    text += fmt::format("{},{},{},{}", cell.layer, count_text(cell.head), count_text(cell.position), cell.stage);
    text += statistics(each.value) + statistics(each.change);
    if (paths) text += fmt::format(",{},{}", cell.from->layer, cell.from->head);
    if (neurons) text += fmt::format(",{}", *cell.neuron);
    text += "\n";
  }
  return text;
}

std::string score_csv(const ScoreWriters& found) {
  std::string text = "query_part,query_layer,query_head,key_part,key_layer,key_head,value\n";
  for (std::size_t q = 0; q < found.queries.size(); ++q) {
    for (std::size_t k = 0; k < found.keys.size(); ++k) {
      text += fmt::format("{},{},{}\n", writer_fields(found.queries[q]), writer_fields(found.keys[k]),
                          csv_number(found.term(q, k)));
    }
  }
  return text + fmt::format("sum,,,,,,{}\ntotal,,,,,,{}\n", csv_number(found.sum), csv_number(found.total));
}

void for_each_pair(const Composition& found, CompositionKind kind,
                   const std::function<void(const ComposedPair& pair)>& visit) {
  const std::int64_t heads = found.heads, columns = found.layers * heads;
  std::vector<float> row(static_cast<std::size_t>(columns));
  for (std::int64_t reader = heads; reader < columns; ++reader) {
    found.of(kind).read({{reader, reader + 1}, {0, columns}}, row);
    for (std::int64_t writer = 0; writer < reader / heads * heads; ++writer) {
      visit(ComposedPair{reader / heads, reader % heads, writer / heads, writer % heads,
                         static_cast<double>(row[static_cast<std::size_t>(writer)])});
    }
  }
}

std::string composition_csv(const Composition& found) {
  std::string text = "kind,layer,head,from_layer,from_head,value\n";
  for (const CompositionKind kind : {CompositionKind::query, CompositionKind::key, CompositionKind::value}) {
    const char* const word = kCompositionNames[static_cast<std::size_t>(kind)];
    for_each_pair(found, kind, [&](const ComposedPair& pair) {
      text += fmt::format("{},{},{},{},{},{}\n", word, pair.layer, pair.head, pair.from_layer, pair.from_head,
                          csv_number(pair.score));
    });
  }
  return text;
}

std::string gradients_csv(const WeightGradients& found) {
  std::string text = "layer,head,sum,absolute,largest,query,key\n";
  for (const HeadWeightGradients& each : found.heads) {
    text += fmt::format("{},{},{},{},{},{},{}\n", each.layer, each.head, csv_number(each.sum),
                        csv_number(each.absolute), csv_number(each.largest), each.query, each.key);
  }
  return text;
}

}  // namespace headscope
