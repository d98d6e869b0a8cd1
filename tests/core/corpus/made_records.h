// Records that no model made, and lists of phrases that the demos can read.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "core/corpus/corpus_record.h"
#include "core/corpus/phrase_list.h"

namespace headscope::test {

// Of `heads` heads in two layers and a list of `list_size` phrases, of which none is scanned.
inline CorpusRecord empty_record(std::int64_t heads, std::int64_t list_size) {
  CorpusRecord record;
  record.facts = {"demo:made", std::string(64, 'a'), "words, 3 pieces, 0", 16, 5, 7, std::string(64, 'b'), list_size};
  record.facts.phrase_loss = true;
  record.facts.points = 6;
  record.facts.vector_sizes = {3, 3, 2, 0};
  record.facts.architecture = "d_model=8 norm_eps=1e-05";
  for (std::int64_t layer = 0; layer < 2; ++layer) {
    for (std::int64_t head = 0; head < heads; ++head) {
      record.heads.emplace_back(layer, head);
      for (std::size_t kind = 0; kind < kVectorKinds; ++kind) {
        record.heads.back().vectors[kind] = HeadVectors(record.facts.vector_sizes[kind]);
      }
    }
  }
  return record;
}

// As if no points had been asked for.
inline void forget_points(CorpusRecord& record) {
  record.facts.points = 0;
  record.facts.vector_sizes = {};
  record.points.clear();
  for (HeadRecord& head : record.heads) head.vectors = {};
}

inline PointPlace made_place(std::int64_t phrase, std::int64_t position) {
  const auto token = static_cast<std::uint64_t>((phrase * 7 + position) % 40);
  return {phrase, position, token, static_cast<std::uint64_t>(phrase), "p" + std::to_string(token)};
}

// Number a of the vector of a head, by its index, at a place.
inline float made_number(std::int64_t head, std::size_t kind, const PointPlace& place, std::int64_t a) {
  const std::uint64_t drawn =
      draw_of(place.phrase * 31 + head, place.position * 64 + static_cast<std::int64_t>(kind) * 8 + a);
  return static_cast<float>(drawn % 2001) / 250 - 4;
}

// Adds the vectors of a phrase of so many rows.
inline void add_made_vectors(CorpusRecord& record, std::int64_t phrase, std::int64_t rows) {
  if (record.facts.points == 0) return;
  std::vector<PointPlace> places;
  for (std::int64_t i = 0; i < rows; ++i) places.push_back(made_place(phrase, i));
  std::sort(places.begin(), places.end(), is_point_before);
  std::vector<HeadRecord> of_phrase = empty_record(static_cast<std::int64_t>(record.heads.size() + 1) / 2, 0).heads;
  for (std::size_t h = 0; h < record.heads.size(); ++h) {
    for (std::size_t kind = 0; kind < kVectorKinds; ++kind) {
      HeadVectors& to = record.heads[h].vectors[kind];
      for (const PointPlace& place : places) {
        std::vector<float> row;
        for (std::int64_t a = 0; a < to.size(); ++a)
          row.push_back(made_number(static_cast<std::int64_t>(h), kind, place, a));
        std::size_t at = 0;
        for (std::size_t a = 0; a < row.size(); ++a) {
          to.sums[a].add_large(row[a]);
          for (std::size_t b = a; b < row.size(); ++b) to.products[at++].add_large(double{row[a]} * double{row[b]});
        }
        auto& points = of_phrase[h].vectors[kind].points;
        points.insert(points.end(), row.begin(), row.end());
      }
    }
  }
  add_points(record, places, of_phrase);
}

// Adds phrase `index` with rows drawn by its index: with values of every size, and equal ones to be told apart.
inline void add_made_phrase(CorpusRecord& record, std::int64_t index) {
  std::mt19937 draw(static_cast<std::uint32_t>(index));
  const auto share = [&draw] { return static_cast<double>(draw() % 1001) / 1000; };
  const std::int64_t rows = 1 + static_cast<std::int64_t>(draw() % 5);
  for (HeadRecord& head : record.heads) {
    for (std::int64_t i = 0; i < rows; ++i) {
      CorpusRow row;
      for (std::size_t k = 0; k < kCorpusMetrics; ++k) {
        row.defined[k] = draw() % 4 != 0;
        row.values[k] = k == 1 ? share() * 300 : share() / 3;
      }
      head.add(row);
      if (record.facts.repeated > 0) head.repeated.add(row);
      const auto largest = static_cast<float>(draw() % 1000) / 999;
      head.add_sample({largest, draw() % 3, index, i, 0});
      if (largest < kPoints) continue;
      // More tokens than a whole scan keeps, some of them often.
      const std::uint64_t query = draw() % 100 * (draw() % 2), key = draw() % 100;
      head.add_pointing(query, key);
      for (const std::uint64_t token : {query, key}) add_word(record, token, "w" + std::to_string(token));
    }
    const auto value = static_cast<float>(draw() % 4) / 4;
    head.add(CorpusExample{value, draw() % 3, index, static_cast<std::int64_t>(draw() % 3), 0});
  }
  std::mt19937 draw_more(static_cast<std::uint32_t>(index) + 1'000'000);  // what came before keeps its numbers
  const auto more = [&draw_more] { return static_cast<float>(draw_more() % 1001) / 1000; };
  for (HeadRecord& head : record.heads) {
    for (std::int64_t i = 0; i < rows; ++i) {
      std::vector<float> weights(static_cast<std::size_t>(rows));
      for (float& weight : weights) weight = more() / 3;
      head.pattern.add_row(i, rows, weights);
    }
  }
  if (record.facts.phrase_loss) {
    record.phrase_loss_tokens += static_cast<std::uint64_t>(rows);
    record.phrase_loss.add(static_cast<double>(more()) * 3);
  }
  if (in_ablation_sample(index, record.facts)) {
    record.loss_tokens += static_cast<std::uint64_t>(rows);
    record.loss.add(share() * 3);
    for (HeadRecord& head : record.heads) head.ablated_loss.add(share() * 4);
  }
  add_made_vectors(record, index, rows);
  ++record.phrases;
  record.tokens += rows;
  record.scanned.add({index, index + 1});
  settle(record);
}

inline CorpusRecord made_record(std::int64_t heads, std::int64_t list_size, Range range) {
  CorpusRecord record = empty_record(heads, list_size);
  for (std::int64_t k = range.begin; k < range.end; ++k) add_made_phrase(record, k);
  return record;
}

// Without the words that it alone counted.
inline void drop_last_head(CorpusRecord& record) {
  record.heads.pop_back();
  const auto counts = [](const TokenCounts& tokens, std::uint64_t token) {
    return std::any_of(tokens.all().begin(), tokens.all().end(),
                       [token](const TokenCount& count) { return count.token == token; });
  };
  std::erase_if(record.words, [&](const auto& word) {
    return std::none_of(record.heads.begin(), record.heads.end(), [&](const HeadRecord& head) {
      return counts(head.query_tokens, word.first) || counts(head.key_tokens, word.first);
    });
  });
}

// Lines for demo:induction, with repetitions; line 3 is blank, line 5 is no UTF-8.
inline std::string demo_lines(int count) {
  const std::vector<std::string> words = {"cat", "box", "ink", "fox", "jam", "pen", "hat"};
  std::string text;
  for (int k = 0; k < count; ++k) {
    if (k == 5) text += "a\xff";
    for (int w = 0; w < 3 + k % 5 && k != 3; ++w)
      text += words[static_cast<std::size_t>(k + w * w) % words.size()] + " ";
    text += "\n";
  }
  return text;
}

}  // namespace headscope::test
