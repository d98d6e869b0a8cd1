// A score is the sum of what earlier components wrote, pair by pair.
#include "core/explain/score_writers.h"

#include <set>

#include "core/base/error.h"
#include "tests/core/explain/attributed.h"

namespace headscope {
namespace {

double largest_term(const ScoreWriters& found) {
  double largest = 1;
  for (const double term : found.terms) largest = std::max(largest, std::abs(term));
  return largest;
}

// The sum of the terms of one row: of what a writer gives the query, with the whole key.
double writers_row_of(const ScoreWriters& found, std::size_t query) {
  double sum = 0;
  for (std::size_t k = 0; k < found.keys.size(); ++k) sum += found.term(query, k);
  return sum;
}

double column_of(const ScoreWriters& found, std::size_t key) {
  double sum = 0;
  for (std::size_t q = 0; q < found.queries.size(); ++q) sum += found.term(q, key);
  return sum;
}

TEST(ScoreWriters, AddUpToTheScoreOfEveryModel) {
  std::set<std::string> refused;
  int taken_apart = 0;
  for (const std::string& name : model_names()) {
    std::shared_ptr<const Trace> trace;
    try {
      trace = whole_model(golden_request(name));
    } catch (const Error&) {
      continue;  // reads images or sounds, which its test gives it
    } catch (const UsageError&) {
      continue;
    }
    const std::int64_t last = trace->query_len() - 1;
    for (const AttributionBy by : {AttributionBy::components, AttributionBy::heads}) {
      for (const auto& [query, key] : {std::pair{last, std::int64_t{1}}, std::pair{last, last}}) {
        try {
          const ScoreQuestion question{trace->num_heads() - 1, query, key, by};
          const ScoreWriters found = score_writers(*trace->model, question, CancelToken());
          EXPECT_TRUE(std::abs(found.sum - found.total) <= 2e-5 * largest_term(found))
              << name << ": " << found.sum << " for " << found.total;
          EXPECT_EQ(found.terms.size(), found.queries.size() * found.keys.size());
          ++taken_apart;
        } catch (const UsageError& error) {
          refused.insert(name + ": " + error.what());
        } catch (const Error& error) {
          ADD_FAILURE() << name << ": " << error.what();
        }
      }
    }
  }
  EXPECT_GE(taken_apart, 4 * 40);
  for (const std::string& name : refused) {
    const bool expected = name.find("latents") != name.npos || name.find("within bounds") != name.npos ||
                          name.find("mean of all heads") != name.npos || name.find("encoder") != name.npos;
    EXPECT_TRUE(expected) << name;
  }
}

// The keys of the head that finds what stood after this word are written by a head that looks at the previous token.
TEST(ScoreWriters, NameTheHeadThatAnInductionHeadListensTo) {
  Request request;
  request.model = "demo:induction";
  request.phrase = "cat box ink fox jam cat";
  const auto trace = whole_model(request);
  const ScoreWriters found = score_writers(*trace->model, {7, 5, 1, AttributionBy::heads}, CancelToken());
  std::size_t best = 0;
  for (std::size_t k = 0; k < found.keys.size(); ++k) {
    if (column_of(found, k) > column_of(found, best)) best = k;
  }
  EXPECT_EQ(score_writer_name(found.keys[best]), "layer 0, head 5");
}

TEST(ScoreWriters, ComponentsAreTheSumOfTheirHeads) {
  const auto trace = whole_model(golden_request("llama"));
  const ScoreWriters whole = score_writers(*trace->model, {1, 4, 2, AttributionBy::components}, CancelToken());
  const ScoreWriters heads = score_writers(*trace->model, {1, 4, 2, AttributionBy::heads}, CancelToken());
  for (std::size_t q = 0; q < whole.queries.size(); ++q) {
    const ScoreWriter& wanted = whole.queries[q];
    double sum = 0;
    for (std::size_t k = 0; k < heads.queries.size(); ++k) {
      const ScoreWriter& part = heads.queries[k];
      const bool named =
          wanted.name == "attention" ? part.name == "head" || part.name == "attention bias" : part.name == wanted.name;
      if (named && part.layer == wanted.layer) sum += writers_row_of(heads, k);
    }
    EXPECT_NEAR(sum, writers_row_of(whole, q), 1e-6 * largest_term(whole)) << score_writer_name(wanted);
  }
}

void expect_refused(const Trace& trace, const ScoreQuestion& question, const std::string& part) {
  try {
    score_writers(*trace.model, question, CancelToken());
    ADD_FAILURE() << part;
  } catch (const UsageError& error) {
    EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
  }
}

TEST(ScoreWriters, RefusesWhatNoLayerWrote) {
  const auto trace = whole_model(golden_request("gpt2"));
  expect_refused(*trace, {9, 0, 0}, "--head: found head 9");
  expect_refused(*trace, {0, 99, 0}, "--at: found query 99");
  expect_refused(*trace, {0, 1, -1}, "--at: found key -1");
  const ModelOptionTexts edited = {{"edit", "1/query:0,0,1,0=3"}};
  expect_refused(*whole_model(golden_request("gpt2"), edited), {0, 1, 0}, "--edit: found other numbers in query");
  const ModelOptionTexts scaled = {{"scale-query", "2"}};
  expect_refused(*whole_model(golden_request("gpt2"), scaled), {0, 1, 0}, "multiplied by hand");
}

}  // namespace
}  // namespace headscope
