"""BERT (Devlin et al. 2018), DistilBERT (Sanh et al. 2019), RoBERTa (Liu et al. 2019), under Hugging Face's names: norms
after each part, exact gelu, masked language model heads."""
import math

import torch
import torch.nn as nn
import torch.nn.functional as F

from model_golden_gpt import heads_of, record_attention


def post_norm_layer(stages, layer, x, heads, w, activation, eps):
    """w: query, key, value, output, norm_1, up, down, norm_2 as (weight, bias)."""
    width, length = x.shape[1], x.shape[0]
    stages[f'layers.{layer}.input'] = x
    q, k, v = (heads_of(F.linear(x, *w[name]), heads) for name in ('query', 'key', 'value'))
    visible = torch.ones(length, length, dtype=torch.bool)
    concat = record_attention(stages, layer, q, k, v, 1 / math.sqrt(width // heads), visible)
    output = F.linear(concat, *w['output'])
    stages[f'layers.{layer}.output'] = output
    middle = F.layer_norm(x + output, (width,), *w['norm_1'], eps)
    inner = F.linear(activation(F.linear(middle, *w['up'])), *w['down'])
    hidden = F.layer_norm(middle + inner, (width,), *w['norm_2'], eps)
    stages[f'layers.{layer}.hidden'] = hidden
    check_with_torch(x, hidden, heads, w, activation, eps)
    return hidden


def check_with_torch(x, hidden, heads, w, activation, eps):
    whole = nn.TransformerEncoderLayer(x.shape[1], heads, w['up'][0].shape[0], 0.0, activation, eps, True,
                                       norm_first=False)
    whole.self_attn.in_proj_weight.copy_(torch.cat([w[n][0] for n in ('query', 'key', 'value')]))
    whole.self_attn.in_proj_bias.copy_(torch.cat([w[n][1] for n in ('query', 'key', 'value')]))
    for linear, name in ((whole.self_attn.out_proj, 'output'), (whole.linear1, 'up'), (whole.linear2, 'down'),
                         (whole.norm1, 'norm_1'), (whole.norm2, 'norm_2')):
        linear.weight.copy_(w[name][0])
        linear.bias.copy_(w[name][1])
    whole.train()
    theirs = whole(x[None])[0]
    assert torch.allclose(theirs, hidden, atol=2e-5), (theirs - hidden).abs().max()


class Bert:
    body = 'bert.'
    inside = 'encoder.layer.{}.'
    layer = dict(query='attention.self.query', key='attention.self.key', value='attention.self.value',
                 output='attention.output.dense', norm_1='attention.output.LayerNorm', up='intermediate.dense',
                 down='output.dense', norm_2='output.LayerNorm')
    transform, transform_norm = 'cls.predictions.transform.dense', 'cls.predictions.transform.LayerNorm'
    decoder, decoder_bias = 'cls.predictions.decoder.weight', 'cls.predictions.bias'
    spelled = ('.weight', '.bias')  # of the norms
    token_types = True

    @staticmethod
    def sizes(config):
        return (config['hidden_size'], config['intermediate_size'], config['num_hidden_layers'],
                config['num_attention_heads'], config['layer_norm_eps'])

    @staticmethod
    def first_position(config):
        return 0

    @classmethod
    def weights(cls, config, draw):
        width, inner, layers, _, _ = cls.sizes(config)
        vocab = config['vocab_size']
        e = cls.body + 'embeddings.'
        w = {e + 'word_embeddings.weight': draw.normal(vocab, width, spread=0.8),
             e + 'position_embeddings.weight': draw.normal(config['max_position_embeddings'], width, spread=0.5)}
        if cls.token_types:
            w[e + 'token_type_embeddings.weight'] = draw.normal(config['type_vocab_size'], width, spread=0.5)

        def norm(name):
            w[name + cls.spelled[0]] = draw.normal(width, spread=0.3, mean=1.0)
            w[name + cls.spelled[1]] = draw.normal(width, spread=0.2)

        def linear(name, n_in, n_out):
            w[name + '.weight'] = draw.normal(n_out, n_in)
            w[name + '.bias'] = draw.normal(n_out, spread=0.3)

        norm(e + 'LayerNorm')
        for number in range(layers):
            for role, name in cls.layer.items():
                name = cls.body + cls.inside.format(number) + name
                if role.startswith('norm'):
                    norm(name)
                else:
                    linear(name, inner if role == 'down' else width, inner if role == 'up' else width)
        cls.add_buffers(w, config, draw)
        linear(cls.transform, width, width)
        norm(cls.transform_norm)
        w[cls.decoder_bias] = draw.normal(vocab, spread=0.3)
        return w

    @classmethod
    def add_buffers(cls, w, config, draw):
        width = config['hidden_size']
        w['bert.embeddings.position_ids'] = torch.arange(config['max_position_embeddings'])[None]
        w['bert.pooler.dense.weight'] = draw.normal(width, width)
        w['bert.pooler.dense.bias'] = draw.normal(width)
        w['cls.seq_relationship.weight'] = draw.normal(2, width)
        w['cls.seq_relationship.bias'] = draw.normal(2)

    @classmethod
    def forward(cls, config, w, ids, stages):
        width, _, layers, heads, eps = cls.sizes(config)
        e = cls.body + 'embeddings.'

        def pair(name):
            if name + '.weight' in w:
                return w[name + '.weight'], w[name + '.bias']
            return w[name + '.gamma'], w[name + '.beta']

        first = cls.first_position(config)
        x = w[e + 'word_embeddings.weight'][ids] + w[e + 'position_embeddings.weight'][first:first + len(ids)]
        if cls.token_types:
            x = x + w[e + 'token_type_embeddings.weight'][stages.get('token_types', torch.zeros_like(ids))]
        x = F.layer_norm(x, (width,), *pair(e + 'LayerNorm'), eps)
        stages['embedded'] = x
        for number in range(layers):
            parts = {role: pair(cls.body + cls.inside.format(number) + name) for role, name in cls.layer.items()}
            x = post_norm_layer(stages, number, x, heads, parts, F.gelu, eps)
        stages['final_hidden'] = x
        x = F.layer_norm(F.gelu(F.linear(x, *pair(cls.transform))), (width,), *pair(cls.transform_norm), eps)
        stages['logits'] = F.linear(x, w.get(cls.decoder, w[e + 'word_embeddings.weight']), w[cls.decoder_bias])


class OldBert(Bert):
    """As the first conversions from TensorFlow: norms are gamma and beta."""
    spelled = ('.gamma', '.beta')


class BertPair(Bert):
    """Two sentences: [CLS] A [SEP] B [SEP] and their token types, spelled out by hand."""
    vocabulary = ('[PAD] [UNK] [CLS] [SEP] [MASK] the cat sat ##s on a mat it slept dog ran far ##ther and he she . , !'
                  ).split()

    @classmethod
    def tokens(cls):
        pieces = '[CLS] the cat sat [SEP] it ran far ##ther [SEP]'.split()
        types = [0, 0, 0, 0, 0, 1, 1, 1, 1, 1]
        return torch.tensor([cls.vocabulary.index(piece) for piece in pieces]), torch.tensor(types)


class Roberta(Bert):
    body = 'roberta.'
    transform, transform_norm = 'lm_head.dense', 'lm_head.layer_norm'
    decoder, decoder_bias = 'lm_head.decoder.weight', 'lm_head.bias'

    @staticmethod
    def first_position(config):
        return config['pad_token_id'] + 1

    @classmethod
    def add_buffers(cls, w, config, draw):
        pass


class DistilBert(Bert):
    body = 'distilbert.'
    inside = 'transformer.layer.{}.'
    layer = dict(query='attention.q_lin', key='attention.k_lin', value='attention.v_lin', output='attention.out_lin',
                 norm_1='sa_layer_norm', up='ffn.lin1', down='ffn.lin2', norm_2='output_layer_norm')
    transform, transform_norm = 'vocab_transform', 'vocab_layer_norm'
    decoder, decoder_bias = 'vocab_projector.weight', 'vocab_projector.bias'
    token_types = False

    @staticmethod
    def sizes(config):
        return config['dim'], config['hidden_dim'], config['n_layers'], config['n_heads'], 1e-12

    @classmethod
    def add_buffers(cls, w, config, draw):
        w[cls.decoder] = w['distilbert.embeddings.word_embeddings.weight'].clone()


BERT = {'model_type': 'bert', 'vocab_size': 24, 'hidden_size': 12, 'num_hidden_layers': 2, 'num_attention_heads': 3,
        'intermediate_size': 16, 'hidden_act': 'gelu', 'max_position_embeddings': 9, 'type_vocab_size': 2,
        'layer_norm_eps': 1e-12, 'pad_token_id': 0, 'position_embedding_type': 'absolute'}
ROBERTA = {**BERT, 'model_type': 'roberta', 'max_position_embeddings': 11,
           'type_vocab_size': 1, 'layer_norm_eps': 1e-5, 'pad_token_id': 1}
CASES = [('bert', Bert, BERT),
         ('bert-old-names', OldBert, {**BERT, 'hidden_size': 8, 'num_attention_heads': 2}),
         ('bert-pair', BertPair, {**BERT, 'max_position_embeddings': 12}),
         ('roberta', Roberta, ROBERTA),
         ('distilbert', DistilBert, {'model_type': 'distilbert', 'vocab_size': 24, 'dim': 12, 'n_layers': 2,
                                     'n_heads': 3, 'hidden_dim': 16, 'activation': 'gelu',
                                     'max_position_embeddings': 9, 'sinusoidal_pos_embds': False,
                                     'pad_token_id': 0})]
