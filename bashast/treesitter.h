// The part of tree-sitter's C interface that one call from Go needs: parse a
// text and copy the tree out as an array. A walk through the Go binding costs
// about 1.5 µs a node, because each step crosses from Go to C and allocates.
#ifndef PI_GUARD_TREESITTER_H
#define PI_GUARD_TREESITTER_H

#include <stdbool.h>
#include <stdint.h>

typedef struct TSParser TSParser;
typedef struct TSLanguage TSLanguage;

// guard_node is one visible node of a tree, named or a token.
typedef struct {
  uint32_t start, end; // bytes
  uint16_t symbol;     // public symbol of the language
  uint16_t depth;      // the root has 0
  uint16_t parent;     // public symbol of the parent, 0 for the root
  uint16_t flags;      // GUARD_* below
} guard_node;

enum { GUARD_NAMED = 1, GUARD_MISSING = 2, GUARD_ERROR = 4 };

// guard_parser_new makes a parser for a language, NULL when the language is
// of another ABI.
TSParser *guard_parser_new(const void *language);
void guard_parser_delete(TSParser *parser);

// guard_parse parses text and writes its nodes in preorder to out. It returns
// the number of nodes, which may be more than cap: then only cap were written.
uint32_t guard_parse(TSParser *parser, const char *text, uint32_t length,
                     guard_node *out, uint32_t cap);

#endif
