from karatage.challenges.sigir_ecom19.label_matrix import read_prices as read_prices
