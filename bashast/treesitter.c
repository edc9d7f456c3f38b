#include "treesitter.h"

#include <stddef.h>

// The functions are those of tree_sitter/api.h, which the module
// go-tree-sitter compiles into the same program. They are declared weak, so
// that cgo's own link of this package alone succeeds; the program's link finds
// them. treesitter.go refuses to work when it did not.
#define GUARD_WEAK __attribute__((weak))

typedef struct TSTree TSTree;
typedef uint16_t TSSymbol;

typedef struct {
  uint32_t context[4];
  const void *id;
  const TSTree *tree;
} TSNode;

typedef struct {
  const void *tree;
  const void *id;
  uint32_t context[3];
} TSTreeCursor;

GUARD_WEAK TSParser *ts_parser_new(void);
GUARD_WEAK void ts_parser_delete(TSParser *);
GUARD_WEAK bool ts_parser_set_language(TSParser *, const TSLanguage *);
GUARD_WEAK TSTree *ts_parser_parse_string(TSParser *, const TSTree *, const char *, uint32_t);
GUARD_WEAK void ts_tree_delete(TSTree *);
GUARD_WEAK TSNode ts_tree_root_node(const TSTree *);
GUARD_WEAK TSSymbol ts_node_symbol(TSNode);
GUARD_WEAK uint32_t ts_node_start_byte(TSNode);
GUARD_WEAK uint32_t ts_node_end_byte(TSNode);
GUARD_WEAK bool ts_node_is_named(TSNode);
GUARD_WEAK bool ts_node_is_missing(TSNode);
GUARD_WEAK bool ts_node_is_error(TSNode);
GUARD_WEAK TSTreeCursor ts_tree_cursor_new(TSNode);
GUARD_WEAK void ts_tree_cursor_delete(TSTreeCursor *);
GUARD_WEAK TSNode ts_tree_cursor_current_node(const TSTreeCursor *);
GUARD_WEAK bool ts_tree_cursor_goto_first_child(TSTreeCursor *);
GUARD_WEAK bool ts_tree_cursor_goto_next_sibling(TSTreeCursor *);
GUARD_WEAK bool ts_tree_cursor_goto_parent(TSTreeCursor *);

TSParser *guard_parser_new(const void *language) {
  if (ts_parser_new == NULL || ts_tree_cursor_goto_parent == NULL) {
    return NULL;
  }
  TSParser *parser = ts_parser_new();
  if (parser != NULL && !ts_parser_set_language(parser, language)) {
    ts_parser_delete(parser);
    return NULL;
  }
  return parser;
}

void guard_parser_delete(TSParser *parser) { ts_parser_delete(parser); }

// The deepest tree whose parents are remembered; below it parent is 0.
enum { GUARD_DEPTH = 2048 };

uint32_t guard_parse(TSParser *parser, const char *text, uint32_t length,
                     guard_node *out, uint32_t cap) {
  TSTree *tree = ts_parser_parse_string(parser, NULL, text, length);
  if (tree == NULL) {
    return 0;
  }
  uint16_t parents[GUARD_DEPTH];
  uint32_t count = 0, depth = 0;
  TSTreeCursor cursor = ts_tree_cursor_new(ts_tree_root_node(tree));
  for (;;) {
    TSNode node = ts_tree_cursor_current_node(&cursor);
    uint16_t symbol = ts_node_symbol(node);
    if (depth < GUARD_DEPTH) {
      parents[depth] = symbol;
    }
    if (count < cap) {
      guard_node *n = &out[count];
      n->start = ts_node_start_byte(node);
      n->end = ts_node_end_byte(node);
      n->symbol = symbol;
      n->depth = depth < UINT16_MAX ? (uint16_t)depth : UINT16_MAX;
      n->parent = depth > 0 && depth <= GUARD_DEPTH ? parents[depth - 1] : 0;
      n->flags = (ts_node_is_named(node) ? GUARD_NAMED : 0) |
                 (ts_node_is_missing(node) ? GUARD_MISSING : 0) |
                 (ts_node_is_error(node) ? GUARD_ERROR : 0);
    }
    count++;
    if (ts_tree_cursor_goto_first_child(&cursor)) {
      depth++;
      continue;
    }
    while (!ts_tree_cursor_goto_next_sibling(&cursor)) {
      if (!ts_tree_cursor_goto_parent(&cursor)) {
        ts_tree_cursor_delete(&cursor);
        ts_tree_delete(tree);
        return count;
      }
      depth--;
    }
  }
}
