// Messages between a server and its clients, byte by byte.
#include "serve/serve.h"
#include "worlds.h"

#include <string.h>

static void commandsComeBackAsTheyWere(void** state)
{
    (void)state;
    unsigned char bytes[plMessageBytes];
    const plCommand commands[] = {{.kind = pl_commandPause},
                                  {.kind = pl_commandTicks, .index = 1000},
                                  {.kind = pl_commandSpeed, .value = 0.1},
                                  {.kind = pl_commandLaw,
                                   .index = 3,
                                   .choice = -7,
                                   .part = 1 << 30,
                                   .pose = {{1e-300, -2, 3}, {1, 0, -0.5, 1e300}}}};
    for (size_t i = 0; i < sizeof commands / sizeof *commands; ++i) {
        const plMessage out = {.kind = pl_messageCommand, .command = commands[i]};
        plMessage in;
        assert_int_equal(plMessage_Encode(&out, bytes), 88);
        assert_null(plMessage_Decode(bytes, 88, &in));
        const plCommand *a = &out.command, *b = &in.command;
        assert_int_equal(a->kind, b->kind);
        assert_int_equal(a->index, b->index);
        assert_int_equal(a->choice, b->choice);
        assert_int_equal(a->part, b->part);
        assert_true(a->value == b->value);
        assert_memory_equal(&a->pose, &b->pose, sizeof a->pose);
    }
}

static void whatAClientMayNotSayHasAReason(void** state)
{
    (void)state;
    unsigned char bytes[plMessageBytes + 1] = {0};
    plMessage m;
    for (size_t size = 0; size <= sizeof bytes; ++size) { // all zero: a pause, when as long as that
        assert_true((plMessage_Decode(bytes, size, &m) == NULL) == (size == 88));
    }
    bytes[0] = pl_messageCount;
    assert_non_null(strstr(plMessage_Decode(bytes, 4, &m), "message"));
    bytes[0] = pl_messageTake;
    assert_null(plMessage_Decode(bytes, 4, &m));
    assert_non_null(plMessage_Decode(bytes, 5, &m));
    const plMessage bad = {.kind = pl_messageCommand,
                           .command = {.kind = pl_commandSpeed, .value = NAN}};
    assert_non_null(strstr(plMessage_Decode(bytes, plMessage_Encode(&bad, bytes), &m), "finite"));
}

static void listsOfChannelsAreBounded(void** state)
{
    (void)state;
    unsigned char bytes[plMessageBytes];
    plMessage out = {.kind = pl_messageWatch, .channelCount = plMessageChannels}, in;
    for (int i = 0; i < plMessageChannels; ++i) out.channels[i] = 7 * i;
    const size_t size = plMessage_Encode(&out, bytes);
    assert_null(plMessage_Decode(bytes, size, &in));
    assert_memory_equal(in.channels, out.channels, sizeof in.channels);
    assert_non_null(plMessage_Decode(bytes, size - 4, &in));
    bytes[4] = plMessageChannels + 1;
    assert_non_null(plMessage_Decode(bytes, size, &in));
    bytes[4] = 1;
    bytes[11] = 0x80; // a negative one
    assert_non_null(plMessage_Decode(bytes, 12, &in));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(commandsComeBackAsTheyWere),
        cmocka_unit_test(whatAClientMayNotSayHasAReason),
        cmocka_unit_test(listsOfChannelsAreBounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
