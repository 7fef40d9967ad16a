from karatage.challenges.sigir_ecom19.bin_sensitivity import (
    BinScores as BinScores,
    PriceBins as PriceBins,
    price_bins as price_bins,
)
