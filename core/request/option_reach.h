// A column of the tables of options, variants and interventions says what a run can take from the one before it. A row
// that says nothing takes nothing, so that whoever adds one has wrong numbers nowhere, and speed once the row says so.
#pragma once

namespace headscope {

struct Request;

// Says how far down the stages the rows of tokens keep their numbers when other tokens follow them. Each step says more
// than those before it.
enum class RowsApart {
  nowhere,      // rows may be made of all others
  projections,  // up to query, key and value, each row of which is made of its own position
  context,      // also to context: where the mask looks back only, query i is made of the positions 0 ... i
  everywhere,   // also what follows
};

// Says what differs between two runs whose requests differ in an option alone.
enum class OptionChanges {
  anything,      // nothing is said, and so nothing of the run before is used
  inputs,        // inputs that are read or drawn (Source), which are compared number by number
  named_stages,  // the stages whose rows in stage_infos() name it, and what follows from them
  nothing,       // no number: the option says who computes, or how results are shown
};

// This is the column of an option. `rows` is asked for every request, also where the option is not given. Where it is
// null, rows keep their numbers everywhere if the option is not given, and nowhere if it is.
struct OptionReach {
  OptionChanges changes = OptionChanges::anything;
  RowsApart (*rows)(const Request&) = nullptr;
};

// Rows keep their numbers as far as this, whatever the value of the option is.
template <RowsApart apart>
RowsApart always(const Request&) {
  return apart;
}

inline constexpr OptionReach kChangesInputs{OptionChanges::inputs, always<RowsApart::everywhere>};
inline constexpr OptionReach kChangesStages{OptionChanges::named_stages, always<RowsApart::everywhere>};
inline constexpr OptionReach kChangesNothing{OptionChanges::nothing, always<RowsApart::everywhere>};

}  // namespace headscope
