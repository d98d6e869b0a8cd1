// Which token follows: one drawn by a model's logits. Pure functions: the same arguments give the same token.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace headscope {

// How a token is chosen.
struct Sampling {
  // greedy: the most probable token; top_k: one of the k most probable; top_p: one of the smallest set of most probable
  // tokens whose probabilities sum to p or more (nucleus sampling, Holtzman et al. 2020; p = 1: all tokens).
  enum class Kind { greedy, top_k, top_p } kind = Kind::greedy;
  std::int64_t k = 1;      // 1 or more; more than there are tokens: all of them
  double p = 1;            // above 0, at most 1
  double temperature = 1;  // above 0; divides the logits before anything else
  std::uint64_t seed = 0;  // of drawn_number()
  friend bool operator==(const Sampling&, const Sampling&) = default;
};

// Reads "greedy", "top-k:K" or "top-p:P" into kind, k and p, and T of --temperature. UsageError of `sample` or
// `temperature` for other words, K < 1, P outside (0, 1], T that is not a finite number above 0.
void set_sampling(Sampling& sampling, std::string_view text);
void set_temperature(Sampling& sampling, std::string_view text);
// As set_sampling() reads it.
std::string sampling_text(const Sampling& sampling);

// The number in [0, 1) by which token `step` of a generation is drawn, counted from 0: the upper 53 bits of output
// `step` of SplitMix64 (Steele, Lea and Flood 2014), divided by 2^53. With 64-bit arithmetic that wraps around,
//   x = seed + (step + 1) 0x9e3779b97f4a7c15;  x = (x ^ x >> 30) 0xbf58476d1ce4e5b9;
//   x = (x ^ x >> 27) 0x94d049bb133111eb;      x = x ^ x >> 31
// Each token has a number of its own, whatever was drawn before: a step can be taken back and taken again.
double drawn_number(std::uint64_t seed, std::uint64_t step);

struct TokenChance {
  std::int64_t id = 0;
  double probability = 0;  // softmax(logits)
  double chance = 0;       // with which the sampler draws it; 0 for tokens that it leaves out
};

struct SampledToken {
  TokenChance token;
  std::int64_t kept = 1;         // how many tokens could have been drawn
  std::vector<TokenChance> top;  // most probable first, equal ones by id
};

// Whether sampled_token() can choose: no logit is NaN or +inf, and some logit is finite.
bool can_sample(std::span<const float> logits);

// With the tokens in the order of their logits z, largest first, equal ones by id, in double:
//   q = softmax(z / temperature), kept = the first 1, the first k, or the shortest beginning with sum q >= p,
//   chance = q / (sum of q over kept);  the token is the first with (sum of chances up to it) > drawn.
// `top` are the first `top_n` (fewer when there are fewer tokens). Asserts can_sample().
SampledToken sampled_token(std::span<const float> logits, const Sampling& sampling, double drawn, std::int64_t top_n);

}  // namespace headscope
