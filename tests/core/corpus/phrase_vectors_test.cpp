// Sums and points against the queries, keys, values and contexts of each phrase; shards, threads, ends, captures.
#include "core/corpus/phrase_vectors.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/attention/engine.h"
#include "core/attention/model_trace.h"
#include "core/base/error.h"
#include "core/corpus/capture_scan.h"
#include "core/corpus/corpus_file.h"
#include "core/corpus/scan_job.h"
#include "tests/app/session/temporary_folder.h"
#include "tests/core/corpus/made_captures.h"
#include "tests/core/corpus/made_records.h"

namespace headscope {
namespace {

constexpr const char* kVectorsModel = "demo:induction";
constexpr int kLines = 14;

ScanOptions vector_options(std::int64_t points, int threads = 1) {
  ScanOptions options;
  options.model = kVectorsModel;
  options.most_tokens = 6;
  options.threads = threads;
  options.points = points;
  return options;
}

CorpusRecord scanned_vectors(PhraseScan& scan, const PhraseList& list, Range range) {
  CorpusRecord record = scan.new_record(list);
  list.visit(range, [&](const ListedPhrase& phrase) { scan.add(phrase, record, {}); });
  return record;
}

// Vectors of one head, of all rows of all phrases, by a loop of its own.
struct PlainVectors {
  std::vector<double> sums, products;
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<float>> rows;  // by phrase and position

  void add(const Tensor& stage, std::int64_t head, std::int64_t phrase) {
    const std::int64_t group = head / (8 / stage.dim(1));
    for (std::int64_t i = 0; i < stage.dim(2); ++i) {
      std::vector<float> row;
      for (std::int64_t a = 0; a < stage.dim(3); ++a) row.push_back(stage.at({0, group, i, a}));
      sums.resize(row.size());
      products.resize(row.size() * (row.size() + 1) / 2);
      std::size_t place = 0;
      for (std::size_t a = 0; a < row.size(); ++a) {
        sums[a] += static_cast<double>(row[a]);
        for (std::size_t b = a; b < row.size(); ++b) {
          products[place++] += static_cast<double>(row[a]) * static_cast<double>(row[b]);
        }
      }
      rows[{phrase, i}] = std::move(row);
    }
  }
};

using PlainHead = std::array<PlainVectors, kVectorKinds>;

std::vector<PlainHead> plain_vectors(const PhraseList& list, std::size_t heads) {
  std::vector<PlainHead> wanted(heads);
  EngineOptions whole_model;
  whole_model.whole_model = true;
  Engine engine(whole_model);
  list.visit({0, list.size()}, [&](const ListedPhrase& phrase) {
    if (phrase.blank || !phrase.problem.empty()) return;
    Request request;
    request.model = kVectorsModel;
    request.phrase = phrase.text;
    request.token_ids = engine.run(request, {})->inputs->token_ids;
    request.token_ids.resize(std::min<std::size_t>(request.token_ids.size(), 6));
    request.phrase.clear();
    const auto trace = engine.run(request, {});
    for (std::size_t h = 0; h < heads; ++h) {
      const Trace& layer = *trace->model->layers[h / 8];
      for (std::size_t kind = 0; kind < kVectorKinds; ++kind) {
        wanted[h][kind].add(layer.tensor(vector_stage(all_vector_kinds()[kind])), static_cast<std::int64_t>(h % 8),
                            phrase.index);
      }
    }
  });
  return wanted;
}

void expect_sums(const std::vector<ExactSum>& found, const std::vector<double>& wanted) {
  ASSERT_EQ(found.size(), wanted.size());
  for (std::size_t k = 0; k < wanted.size(); ++k) {
    EXPECT_TRUE(std::fabs(found[k].value() - wanted[k]) <= 2e-11 + 1e-14 * std::fabs(wanted[k]))
        << k << ": " << found[k].value() << ", wanted " << wanted[k];
  }
}

TEST(PhraseVectors, SumsAndPointsAreThoseOfTheStagesOfEachPhrase) {
  const PhraseList list = PhraseList::of_text(test::demo_lines(kLines));
  PhraseScan scan(vector_options(9), {});
  const CorpusRecord record = scanned_vectors(scan, list, {0, kLines});
  const auto wanted = plain_vectors(list, record.heads.size());
  ASSERT_EQ(record.heads.size(), 16u);
  std::vector<PointPlace> drawn;
  for (const auto& [at, row] : wanted[0][0].rows) drawn.push_back({at.first, at.second, 0, 0, ""});
  EXPECT_EQ(static_cast<std::int64_t>(drawn.size()), record.tokens);
  std::sort(drawn.begin(), drawn.end(), is_point_before);
  ASSERT_EQ(record.points.size(), 9u);
  for (std::size_t h = 0; h < wanted.size(); ++h) {
    for (std::size_t kind = 0; kind < kVectorKinds; ++kind) {
      const HeadVectors& found = record.heads[h].vectors[kind];
      expect_sums(found.sums, wanted[h][kind].sums);
      expect_sums(found.products, wanted[h][kind].products);
      for (std::size_t k = 0; k < record.points.size(); ++k) {
        ASSERT_EQ(record.points[k].phrase, drawn[k].phrase);
        ASSERT_EQ(record.points[k].position, drawn[k].position);
        const std::vector<float>& row = wanted[h][kind].rows.at({drawn[k].phrase, drawn[k].position});
        const auto first = found.points.begin() + static_cast<std::ptrdiff_t>(k * row.size());
        EXPECT_TRUE(std::equal(row.begin(), row.end(), first)) << h << " " << kind << " " << k;
      }
    }
  }
}

TEST(PhraseVectors, AnyShardsAndThreadsGiveTheSameBytes) {
  const PhraseList list = PhraseList::of_text(test::demo_lines(20));
  PhraseScan one(vector_options(7), {});
  const std::string whole = corpus_file_bytes(scanned_vectors(one, list, {0, 20}));
  PhraseScan eight(vector_options(7, 8), {});
  EXPECT_EQ(corpus_file_bytes(scanned_vectors(eight, list, {0, 20})), whole);
  for (std::int64_t shards = 1; shards <= 17; ++shards) {
    CorpusRecord sum = scanned_vectors(one, list, shard_of(20, shards - 1, shards));
    for (std::int64_t k = 0; k + 1 < shards; ++k) add(sum, scanned_vectors(one, list, shard_of(20, k, shards)));
    EXPECT_EQ(corpus_file_bytes(sum), whole) << shards << " shards";
  }
}

TEST(PhraseVectors, WithoutThemAFileIsTheSameToTheByte) {
  const PhraseList list = PhraseList::of_text(test::demo_lines(9));
  PhraseScan with(vector_options(4), {}), without(vector_options(0), {});
  CorpusRecord record = scanned_vectors(with, list, {0, 9});
  const CorpusRecord plain = scanned_vectors(without, list, {0, 9});
  EXPECT_EQ(corpus_file_bytes(plain).find("vector"), std::string::npos);
  record.facts.points = 0;
  record.facts.vector_sizes = {};
  record.points.clear();
  for (HeadRecord& head : record.heads) head.vectors = {};
  EXPECT_EQ(corpus_file_bytes(record), corpus_file_bytes(plain));
}

TEST(PhraseVectors, AScanThatIsEndedGoesOn) {
  const TemporaryFolder folder;
  const PhraseList list = PhraseList::of_text(test::demo_lines(12));
  ScanJob job;
  job.options = vector_options(5);
  job.out = folder / "whole.hsagg";
  run_scan(job, list, {});
  job.out = folder / "often.hsagg";
  job.between = std::chrono::duration<double>(0);
  int ends = 0;
  for (bool done = false; !done; ++ends) {
    ASSERT_LT(ends, 20);
    CancelToken cancel;
    int calls = 0;
    job.progress = [&](const ScanProgress&) {
      if (++calls > 3) cancel.cancel();
    };
    try {
      run_scan(job, list, cancel);
      done = true;
    } catch (const Cancelled&) {
    }
  }
  EXPECT_GT(ends, 3);
  EXPECT_EQ(bytes_of(folder / "often.hsagg"), bytes_of(folder / "whole.hsagg"));
}

TEST(PhraseVectors, CapturesGiveWhatTheyHold) {
  const TemporaryFolder folder;
  const std::vector<std::string> phrases = {"cat box ink cat box", "fox", "jam jam pen hat jam jam pen"};
  const PhraseList list = PhraseList::of_text(phrases[0] + "\n" + phrases[1] + "\n" + phrases[2] + "\n");
  PhraseScan scan(vector_options(6), {});
  const CorpusRecord wanted = scanned_vectors(scan, list, {0, 3});
  for (std::size_t k = 0; k < phrases.size(); ++k) {
    const std::string name = std::to_string(k) + ".safetensors";
    test::write_demo_capture(folder / ("vectors/" + name), phrases[k], wanted.facts, false);
    test::write_demo_capture(folder / ("weights/" + name), phrases[k], wanted.facts, true);
  }
  const CaptureList captures = CaptureList::open(folder / "vectors");
  CaptureScan of_captures(vector_options(6), captures);
  CorpusRecord found = of_captures.new_record();
  for (std::int64_t k = 0; k < 3; ++k) EXPECT_EQ(of_captures.add(k, found, {}), "");
  EXPECT_EQ(found.facts.vector_sizes, (VectorSizes{wanted.facts.vector_sizes[0], wanted.facts.vector_sizes[1], 0, 0}));
  EXPECT_EQ(found.points, wanted.points);
  for (std::size_t h = 0; h < wanted.heads.size(); ++h) {
    EXPECT_EQ(found.heads[h].vectors[0], wanted.heads[h].vectors[0]);
    EXPECT_EQ(found.heads[h].vectors[1], wanted.heads[h].vectors[1]);
    EXPECT_EQ(found.heads[h].vectors[2].size(), 0);
  }
  const CaptureList weights = CaptureList::open(folder / "weights");
  EXPECT_THROW(CaptureScan(vector_options(6), weights), UsageError);
}

TEST(PhraseVectors, NumbersThatCannotBeAddedAreRefused) {
  Request request;
  request.model = kVectorsModel;
  request.phrase = "cat box";
  const auto trace = Engine().run(request, {});
  const std::int64_t size = trace->tensor(StageId::query).dim(3);
  HeadRecord head(0, 0);
  head.vectors[0] = HeadVectors(size);
  const std::vector<std::int64_t> slots = {-1, 0};
  EXPECT_NO_THROW(add_vectors(head, *trace, {size, 0, 0, 0}, slots));
  EXPECT_THROW(add_vectors(head, *trace, {size + 1, 0, 0, 0}, slots), ProblemError);
  Trace changed = *trace;
  for (const float number : {NAN, INFINITY, 65537.0F}) {
    for (Stage& stage : changed.stages) {
      if (stage.id != StageId::query) continue;
      std::vector<float> values = trace->tensor(StageId::query).values();
      values[3] = number;
      stage.tensor = Tensor::of(trace->tensor(StageId::query).shape(), trace->tensor(StageId::query).axes(), values);
    }
    EXPECT_THROW(add_vectors(head, changed, {size, 0, 0, 0}, slots), ProblemError) << number;
  }
  EXPECT_THROW(check_wanted({1, {4097, 0, 0, 0}}), UsageError);
}

}  // namespace
}  // namespace headscope
