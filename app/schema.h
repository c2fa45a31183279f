// palp schema: what its files share.
#ifndef PL_SCHEMA_H
#define PL_SCHEMA_H

#include <jansson.h>

#include <stdio.h>

/// The reference of scenes, as Markdown: a table for each kind of object, in the schema's order.
void plSchema_WriteMarkdown(const json_t* schema, FILE*);

#endif
