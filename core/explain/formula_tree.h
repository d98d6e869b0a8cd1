// A formula as a tree of what stands above, below and beside each other: how 'Where this number comes from' is typeset.
// core/picture/text/formula_layout gives every part its place.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace headscope {

// How a text of a formula is set.
enum class FormulaType { words, name, number, script, big };  // "exp", a tensor, a value, an index, Σ
enum class FormulaRole { plain, dim, query, key, value };

struct FormulaNode {
  enum class Kind {
    text,      // `text` in `type` and `role`
    row,       // the parts beside each other
    fraction,  // parts[0] over parts[1]
    root,      // of parts[0]
    scripts,   // parts[0] with parts[1] lowered behind it
    sum,       // Σ with parts[0] below and parts[1] above it
    brackets,  // around parts[0]: round ones, square ones where it is higher than a line
    cases,     // two parts a row, a value and when it holds, behind one brace
  };
  Kind kind = Kind::row;
  std::vector<FormulaNode> parts;
  std::string text;
  FormulaType type = FormulaType::words;
  FormulaRole role = FormulaRole::plain;
  std::string term;  // the name of the step that makes this part, see ExplainStep; "": of none
};

// The term of cells that earlier steps made.
inline constexpr const char* kSourceTerm = "source";

// ---- makers, one a kind
FormulaNode text_node(std::string text, FormulaType type = FormulaType::words, FormulaRole role = FormulaRole::plain);
FormulaNode row_node(std::vector<FormulaNode> parts);
FormulaNode fraction_node(FormulaNode above, FormulaNode below);
FormulaNode root_node(FormulaNode of);
FormulaNode scripts_node(FormulaNode base, FormulaNode lowered);
FormulaNode sum_node(FormulaNode below, FormulaNode above);
FormulaNode brackets_node(FormulaNode inside);
FormulaNode cases_node(std::vector<std::pair<FormulaNode, FormulaNode>> rows);
// The same part, made by this step.
FormulaNode of_term(std::string term, FormulaNode node);

// What a letter of the formula stands for.
struct FormulaLetter {
  std::string letter, meaning;
};

// left = right = numbers. A line may end before an equals sign.
struct Formula {
  FormulaNode left;
  std::vector<FormulaNode> right;  // what it equals: in symbols, in numbers; at least one
  std::vector<FormulaLetter> letters;
};

// The formula in one line of plain characters, for screen readers and tests: "weights_0,2,7,1 = (exp(...)) / (...)".
std::string formula_words(const FormulaNode& node);

}  // namespace headscope
