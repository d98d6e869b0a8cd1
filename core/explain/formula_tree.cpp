#include "core/explain/formula_tree.h"

#include <fmt/format.h>

#include <cstddef>

namespace headscope {

namespace {

FormulaNode of_kind(FormulaNode::Kind kind, std::vector<FormulaNode> parts) {
  FormulaNode node;
  node.kind = kind;
  node.parts = std::move(parts);
  return node;
}

}  // namespace

FormulaNode text_node(std::string text, FormulaType type, FormulaRole role) {
  FormulaNode node = of_kind(FormulaNode::Kind::text, {});
  node.text = std::move(text);
  node.type = type;
  node.role = role;
  return node;
}

FormulaNode row_node(std::vector<FormulaNode> parts) {
  return of_kind(FormulaNode::Kind::row, std::move(parts));
}

FormulaNode fraction_node(FormulaNode above, FormulaNode below) {
  return of_kind(FormulaNode::Kind::fraction, {std::move(above), std::move(below)});
}

FormulaNode root_node(FormulaNode of) {
  return of_kind(FormulaNode::Kind::root, {std::move(of)});
}

FormulaNode scripts_node(FormulaNode base, FormulaNode lowered) {
  return of_kind(FormulaNode::Kind::scripts, {std::move(base), std::move(lowered)});
}

FormulaNode sum_node(FormulaNode below, FormulaNode above) {
  return of_kind(FormulaNode::Kind::sum, {std::move(below), std::move(above)});
}

FormulaNode brackets_node(FormulaNode inside) {
  return of_kind(FormulaNode::Kind::brackets, {std::move(inside)});
}

FormulaNode cases_node(std::vector<std::pair<FormulaNode, FormulaNode>> rows) {
  std::vector<FormulaNode> parts;
  for (auto& [value, when] : rows) {
    parts.push_back(std::move(value));
    parts.push_back(std::move(when));
  }
  return of_kind(FormulaNode::Kind::cases, std::move(parts));
}

FormulaNode of_term(std::string term, FormulaNode node) {
  // A part that several steps make has a row around it for each.
  if (!node.term.empty()) node = row_node({std::move(node)});
  node.term = std::move(term);
  return node;
}

std::string formula_words(const FormulaNode& node) {
  const auto part = [&](std::size_t at) { return formula_words(node.parts[at]); };
  std::string words;
  switch (node.kind) {
    case FormulaNode::Kind::text:
      return node.text;
    case FormulaNode::Kind::row:
      for (const FormulaNode& each : node.parts) words += formula_words(each);
      return words;
    case FormulaNode::Kind::fraction:
      return fmt::format("({}) / ({})", part(0), part(1));
    case FormulaNode::Kind::root:
      return fmt::format("√({})", part(0));
    case FormulaNode::Kind::scripts:
      return fmt::format("{}_{}", part(0), part(1));
    case FormulaNode::Kind::sum:
      return fmt::format("Σ_{}^{} ", part(0), part(1));
    case FormulaNode::Kind::brackets:
      return fmt::format("({})", part(0));
    case FormulaNode::Kind::cases:
      for (std::size_t at = 0; at + 1 < node.parts.size(); at += 2) {
        words += fmt::format("{}{} {}", at == 0 ? "" : "; ", part(at), part(at + 1));
      }
      return fmt::format("{{{}}}", words);
  }
  return words;
}

}  // namespace headscope
