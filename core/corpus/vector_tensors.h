// The tensors of vectors in an .hsagg: what a file has besides where its scan asked for points. Internal to
// core/corpus.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "core/corpus/corpus_layout.h"
#include "core/io/bytes.h"

namespace headscope {

// Where the values of each tensor of a file begin.
class PlacedTensors {
 public:
  void place(const std::string& name, const std::byte* values) { places_[name] = values; }
  const std::byte* begin_of(const std::string& name) const { return places_.at(name); }
  template <typename Number>
  Number at(const std::string& name, std::size_t index) const {
    return load<Number>(places_.at(name) + index * sizeof(Number));
  }
  // Of a tensor [..., 2].
  ExactSum sum_at(const std::string& name, std::size_t index) const {
    return {at<std::uint64_t>(name, 2 * index), at<std::uint64_t>(name, 2 * index + 1)};
  }

 private:
  std::map<std::string, const std::byte*> places_;
};

// Of vector_sizes_text(); nullopt for what is none, or not one at least from 1 to kMostVectorSize.
std::optional<VectorSizes> vector_sizes_of(const std::string& text);

// The values of these tensors as they lie in the file: those of 8 bytes a number, those of 4, and the tokens' texts.
void append_vector_sums(std::string& bytes, const CorpusRecord& record);
void append_vector_points(std::string& bytes, const CorpusRecord& record);
void append_point_texts(std::string& bytes, const CorpusRecord& record);

// Reads them into the record, whose facts and heads were read. Returns what is wrong; "" when nothing is.
std::string read_vectors(CorpusRecord& record, const PlacedTensors& tensors, const CorpusSizes& sizes);

// Why points and sums do not fit each other and the record; "" when they do.
std::string problem_of_vectors(const CorpusRecord& record);

}  // namespace headscope
