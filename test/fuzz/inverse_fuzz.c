// Any bytes as answers of the Inverse Service: its inventory, then a state.
#include "device/real_inverse3.c"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size)
{
    static Inverse3 inverse;
    plRaw raw = {0};
    bool calibrated;
    memset(&inverse, 0, sizeof inverse);
    // in pieces, as fragments come
    for (size_t at = 0, step = 1 + size / 3; at < size && !inverse.gone; at += step) {
        const size_t piece = size - at < step ? size - at : step;
        take(&inverse, data + at, piece, at == 0, at + piece == size);
    }
    if (inverse.inSize > sizeof inverse.in) abort();
    if (inverse.gone) return 0;
    if (readInventory(&inverse, "", &calibrated) && !isPlain(inverse.id)) abort();
    if (readState(&inverse, &raw) && inverse.idle < 0) abort();
    return 0;
}
